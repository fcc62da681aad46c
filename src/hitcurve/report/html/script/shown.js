// What is shown of it all: levels, bands, rankers, axes, print, sorting.
const everything = () => {
  document.querySelectorAll("[data-level]").forEach((e) => { e.dataset.level = state.level; });
  document.querySelectorAll("[data-level-text]").forEach((e) => { e.textContent = page.levels[state.level]; });
  if (page.bands) aboutBands();
  Object.keys(draw).forEach((name) => elements[name] && draw[name]());
  Object.keys(tell).forEach((name) => byId(`answers-${name}`) && tell[name]());
};
const aboutBands = () => {
  const why = new Map();
  for (const r of shown()) {
    const reason = page.bands.roc[r].why ?? page.bands.accumulation[r].why;
    if (reason) why.set(reason, [...(why.get(reason) ?? []), page.names[r]]);
  }
  const cautions = new Set(shown().filter(banded).flatMap((r) => page.bands.roc[r].cautions ?? []));
  document.querySelectorAll("[data-bands-text]").forEach((e) => {
    e.textContent = why.size
      ? [...why].map(([reason, names]) => `No band for ${names.join(", ")}: ${reason}.`).join(" ")
      : `Bands are simultaneous ${page.levels[state.level]} confidence bands: each is for a whole curve. ${[...cautions].map((text) => `${text}.`).join(" ")}`;
  });
};
document.querySelectorAll("input[name=level]").forEach((input) => input.addEventListener("change", () => {
  state.level = Number(input.value);
  everything();
}));
byId("bands").value = state.bands;
byId("bands").addEventListener("change", (event) => { state.bands = event.target.value; everything(); });
document.querySelectorAll("button.ranker").forEach((button) => button.addEventListener("click", () => {
  const r = Number(button.dataset.ranker);
  if (!state.hidden.delete(r)) state.hidden.add(r);
  fade(-1);
  button.setAttribute("aria-pressed", !state.hidden.has(r));
  if (cut) slideCut();
  everything();
}));
const pointed = (event) => {
  if (event.target.closest("[data-hover]")) return;
  const line = event.target.closest("button.ranker, tr")?.querySelector(".swatch line");
  const r = line ? page.colours.indexOf(line.getAttribute("stroke")) : -1;
  fade(state.hidden.has(r) ? -1 : r);
};
for (const kind of ["pointerover", "focusin"]) document.addEventListener(kind, pointed);
document.querySelectorAll("input.log").forEach((input) => input.addEventListener("change", async () => {
  const name = input.value;
  if (name === "first") {
    state.firstLog = input.checked;
    await ask(state.metric);
    return;
  }
  state.log[input.checked ? "add" : "delete"](name);
  await embed(name, `${kindOf(name)}${input.checked ? "-log" : ""}`);
  draw[name]();
}));
byId("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
});
byId("print").addEventListener("click", () => print());
// on paper there is nothing to unfold, and charts are drawn in the size of a column, so that their text is read
const PAPER = { width: 345, height: 106 }, SCREEN = Object.values(page.charts)[0].height;
let folded = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details:not([open])")];
  folded.forEach((e) => { e.open = true; });
  Object.values(views).forEach((view) => view.width(PAPER.width).height(PAPER.height).run());
});
addEventListener("afterprint", () => {
  folded.forEach((e) => { e.open = false; });
  Object.values(views).forEach((view) => view.height(SCREEN).run());
  dispatchEvent(new Event("resize")); // charts take the width of the screen again
});

document.querySelectorAll("table.sortable").forEach((table) => {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.querySelector("button")?.addEventListener("click", () => {
    const down = column === 0 ? head.ariaSort === "ascending" : head.ariaSort !== "descending";
    heads.forEach((other) => other.querySelector("button") && other.setAttribute("aria-sort", "none"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const key = (row) => row.cells[column].dataset.sort ?? row.cells[column].textContent;
    const compare = (a, b) => (column === 0 ? key(a).localeCompare(key(b), undefined, { numeric: true }) : Number(key(a)) - Number(key(b)));
    const rows = [...table.tBodies[0].rows].sort(compare);
    table.tBodies[0].append(...(down ? rows.reverse() : rows));
  }));
});
