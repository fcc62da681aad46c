// Looks numbers up and shows them as they were printed; it computes none. Here: the data, the choices of the reader, and what is packed.
const whole = JSON.parse(document.getElementById("hitcurve").textContent);
let page = whole.groups ? { ...whole, ...whole.groups[0] } : whole;
const byId = (id) => document.getElementById(id);
const main = document.querySelector("main");
const R = page.rankers.length;
const state = {
  level: page.level, hidden: new Set(), bands: R > 2 ? String(whole.answers[0].leader) : "all", measure: null, log: new Set(), firstLog: undefined,
  at: { rate: -1 }, asked: {}, metric: 0, against: whole.answers[0].against, wanted: null,
  cut: [], rates: [NaN, NaN],
};

// reading what is packed
const memo = new Map();
const kept = (text, kind, make) => {
  const key = kind + text;
  if (!memo.has(key)) memo.set(key, make());
  return memo.get(key);
};
const words = (text) => kept(text, "w", () => (text === "" ? [] : text.split(" ")));
const numbers = (text) => kept(text, "n", () => words(text).map(Number));
const places = (text) => kept(text, "p", () => {
  let sum = 0;
  return words(text).map((step) => (sum += Number(step)) / page.unit);
});
const shown = () => page.rankers.map((_, r) => r).filter((r) => !state.hidden.has(r));
// curves that are only looked at have places on both axes, those that are read off have numbers
const drawnAs = (text) => (page.sketch ? places(text) : numbers(text));
const banded = (r) => state.bands === "all" || state.bands === String(r);
const indices = (flags) => kept(flags, "f", () => [...flags].flatMap((flag, i) => (flag === "1" ? [i] : [])));
