// Fills the choices of versions (in the bar, and in the menu of narrow screens). Their list lies beside the folders of all
// versions (docs/deploy.py writes it) and is a script, which is loaded from disk too. One version alone shows itself.
(() => {
  const choices = document.querySelectorAll(".versions select");
  if (!choices.length) return;
  const own = choices[0].value, { root, page } = choices[0].dataset;
  const list = document.createElement("script");
  list.src = `${root}../versions.js`;
  list.onload = () => {
    const pages = window.versionsOfHitcurve;
    choices.forEach((choice) => {
      choice.replaceChildren(...Object.keys(pages).map((name) => new Option(name, name, false, name === own)));
      choice.onchange = () => {
        const there = pages[choice.value].includes(page) ? page : "index";
        location.href = `${root}../${choice.value}/${there}.html`;
      };
    });
  };
  document.head.append(list);
})();
