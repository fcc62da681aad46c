"use strict";
// What the reader chose, in the fragment of the address: a link to the file opens it as it was left.
window.hitcurveAddress = () => {
  const MOST = 8000; // signs of a fragment that are read
  const rankers = JSON.parse(document.getElementById("hitcurve").textContent).rankers;
  const byId = (id) => document.getElementById(id);
  const all = (selector) => [...document.querySelectorAll(selector)];

  // ---- kinds of controls: what they show as text, and how a text is set; a text that is no choice changes nothing
  const tell = (e, kind) => e.dispatchEvent(new Event(kind, { bubbles: true }));
  const selecting = (id, texts, also = `#${id}`) => byId(id) && {
    of: (e) => e.id === id || e.closest(also),
    get: () => [texts()[byId(id).selectedIndex]],
    set([text]) {
      const at = texts().indexOf(text);
      if (at < 0) return;
      byId(id).selectedIndex = at;
      tell(byId(id), "change");
    },
  };
  const optionsOf = (id) => () => [...byId(id).options].map((option) => option.textContent);
  const typing = (id, also) => byId(id) && {
    of: (e) => e.id === id || e.id === also,
    get: () => [byId(id).value],
    set([text]) {
      if (!/^\d{1,15}(\.\d{1,15})?(e[-+]?\d{1,2})?$/i.test(text) || !(Number(text) > 0)) return;
      byId(id).value = text;
      tell(byId(id), also ? "change" : "input");
    },
  };
  const sorting = (table) => ({
    of: (e) => e.closest("thead")?.parentElement === table,
    get: () => [...table.tHead.rows[0].cells].flatMap((head, column) => (
      ["ascending", "descending"].includes(head.getAttribute("aria-sort")) ? [`${column} ${head.getAttribute("aria-sort")}`] : [])),
    set([text]) {
      const [, column, wanted] = text.match(/^(\d{1,4}) (ascending|descending)$/) ?? [];
      const head = table.tHead.rows[0].cells[column], button = head?.querySelector("button");
      for (let click = 0; button && click < 2 && head.getAttribute("aria-sort") !== wanted; click++) button.click();
    },
  });
  const hidden = () => all("button.ranker[aria-pressed=false]").map((button) => rankers[button.dataset.ranker]);

  // in the order in which they are set: what a control offers may depend on those before it
  const controls = {
    group: selecting("group", optionsOf("group"), "#previous, #next, button.group"),
    by: selecting("by", optionsOf("by")),
    against: selecting("against", () => [...byId("against").options].map((option) => rankers[option.value])),
    level: {
      of: (e) => e.name === "level",
      get: () => all("input[name=level]:checked").map((input) => input.parentElement.textContent),
      set([text]) { all("input[name=level]").find((input) => input.parentElement.textContent === text)?.click(); },
    },
    bands: selecting("bands", () => [...byId("bands").options].map((option) => (
      Number.isNaN(Number(option.value)) ? option.value : `of ${rankers[option.value]}`))),
    hidden: {
      of: (e) => e.closest("button.ranker"),
      get: hidden,
      set(names) {
        for (const button of all("button.ranker[aria-pressed=true]")) if (names.includes(rankers[button.dataset.ranker])) button.click();
      },
    },
    log: {
      of: (e) => e.matches("input.log"),
      get: () => [all("input.log:checked").map((input) => input.value).join(" ") || "none"],
      set([text]) {
        const names = text === "none" ? [] : text.split(" "), inputs = all("input.log");
        if (!names.every((name) => inputs.some((input) => input.value === name))) return;
        for (const input of inputs) if (input.checked !== names.includes(input.value)) input.click();
      },
    },
    rank: byId("cut-slider") && {
      of: (e) => e.id === "cut-slider",
      get: () => [byId("cut-slider").value],
      set([text]) {
        if (!/^\d{1,9}$/.test(text) || Number(text) > Number(byId("cut-slider").max)) return;
        byId("cut-slider").value = text;
        tell(byId("cut-slider"), "input");
      },
    },
    alpha: typing("alpha-typed", "alpha-slider"),
    prevalence: typing("precision-typed", "precision-slider"),
    threshold: typing("decision-typed", "decision-slider"),
    budget: typing("budget-typed", "budget-slider"),
    measure: byId("measures") && {
      of: (e) => e.closest("#measures"),
      get: () => all("#measures [aria-checked=true]").map((button) => button.value),
      set([name]) { all("#measures button").find((button) => button.value === name)?.click(); },
    },
    minutes: typing("minutes"),
    from: typing("fast"),
    to: typing("slow"),
    metric: selecting("metric", optionsOf("metric")),
    ...Object.fromEntries(all("table.sortable").map((table) => [`sort-${table.id.replace("table-", "")}`, sorting(table)])),
  };
  const there = Object.entries(controls).filter(([, control]) => control);
  const touched = new Set();

  // ---- writing
  const written = (more = {}) => {
    const out = new URLSearchParams();
    for (const [key, control] of there) if (touched.has(key)) for (const text of control.get()) out.append(key, text);
    for (const [key, text] of Object.entries(more)) out.append(key, text);
    return out.toString();
  };
  const addressed = (fragment) => location.href.replace(/#.*$/s, "") + (fragment && `#${fragment}`);
  let waiting;
  const write = () => {
    clearTimeout(waiting);
    // browsers allow some hundred changes in half a minute, and a slider makes more
    waiting = setTimeout(() => history.replaceState(history.state, "", addressed(written())), 300);
  };
  const changed = (event) => {
    const keys = there.filter(([, control]) => event.target instanceof Element && control.of(event.target)).map(([key]) => key);
    keys.forEach((key) => touched.add(key));
    if (keys.length) write();
  };
  for (const kind of ["input", "change", "click"]) document.addEventListener(kind, changed);

  // ---- reading
  const read = () => (location.hash.length > MOST ? new URLSearchParams() : new URLSearchParams(location.hash.slice(1)));
  const given = read();
  for (const [key, control] of there) if (given.has(key)) control.set(given.getAll(key));
  const section = all("section[id]").find((e) => e.id === given.get("at"));
  section?.scrollIntoView();
  clearTimeout(waiting);
  // another link to this file, opened where it is open already
  addEventListener("hashchange", () => {
    const asked = read();
    if (there.some(([key]) => asked.has(key)) && asked.toString() !== written()) location.reload();
  });

  // ---- a link to hand on
  const inView = () => all("section[id]").findLast((e) => e.getBoundingClientRect().top < innerHeight / 3)?.id;
  const copy = byId("copy"), said = byId("copied");
  copy.addEventListener("click", async () => {
    const at = scrollY > innerHeight / 3 ? inView() : undefined, link = addressed(written(at ? { at } : {}));
    try {
      await navigator.clipboard.writeText(link);
      said.textContent = "Link copied.";
    } catch {
      // where a page may not write to the clipboard, the link is there to be copied by hand
      const field = document.createElement("input");
      Object.assign(field, { value: link, readOnly: true, ariaLabel: "Link to this view" });
      said.replaceChildren("Copy this link: ", field);
      field.select();
    }
  });
};
