// The first chart: who is ahead, with a band, and whom it is compared with.
const asked = () => whole.answers[state.metric];
const compared = () => [asked().leader, ...(state.against < 0 ? [] : [state.against])];
const firstKind = () => {
  const chart = asked().chart.replace("-log", "");
  return whole.average && chart !== "roc" ? "hits" : chart;
};
// the top of the list is enlarged where the metric looks at nothing else, unless the reader says otherwise
const firstLog = () => state.firstLog ?? (!whole.average && asked().chart.endsWith("-log"));
const rates = () => many(60, (i) => 10 ** (-8 + i * 8 / 59));
const straightOn = (log) => (log ? reference("random", rates(), rates()) : straight);
const ofFirst = {
  roc: (r) => [numbers(page.drawn[r].fpr), numbers(page.drawn[r].recall), page.bands.roc[r]],
  pr: (r) => [numbers(page.drawn[r].recall), numbers(page.drawn[r].precision), page.precision.bands[r]],
  hits: (r) => [numbers(page.drawn[r].rate), numbers(page.drawn[r].recall), page.bands.accumulation[r]],
};
const drawFirst = () => {
  const kind = firstKind(), log = firstLog(), lines = [], band = [];
  const on = (points) => (log ? onLog(kind, points) : points);
  for (const r of compared()) {
    if (whole.average) {
      const own = whole.average[kind][r], x = numbers(own.x), y = places(own.y);
      lines.push(...on(path(r, x, y, [...x.keys()])));
      if (r === asked().leader) band.push(...on(area(r, x, places(own.low[state.level]), places(own.high[state.level]))));
      continue;
    }
    const [x, y, own] = ofFirst[kind](r);
    lines.push(...on(path(r, x, y, indices(page.drawn[r].line))));
    if (r === asked().leader && !own.why) {
      const of = (ends) => places(kind === "pr" ? ends[state.level][page.precision.start] : ends[state.level]);
      band.push(...on(area(r, numbers(own.x), of(own.low), of(own.high))));
    }
  }
  const pi = kind === "pr" ? Number(page.precision.grid[page.precision.start]) : 0;
  show("first", { lines, band, refs: kind === "pr" ? reference("random", [0, 1], [pi, pi]) : straightOn(log) });
  byId("first-title").textContent = `${firstTitles[kind]}${whole.average ? ", averaged over " + whole.units : ""}`;
  byId("first-legend").replaceChildren(...compared().map((r) => {
    const one = made("span", undefined, { class: "name" });
    one.append(swatchOf(r), made("bdi", page.rankers[r]), ...(band.length && r === asked().leader ? [`with ${page.levels[state.level]} band`] : []));
    return one;
  }));
};
const firstTitles = { roc: "ROC curve", pr: "Precision-recall curve", hits: "Accumulation curve" };
const embedded = { first: elements.first?.dataset.spec };
const ask = async (metric) => {
  const before = state.metric;
  state.metric = metric;
  // whom the reader chose, as long as that one is not ahead; else the next best of each metric
  state.against = asked().options.includes(state.wanted) ? state.wanted : asked().against;
  byId("by").value = metric;
  const selector = byId("against");
  if (selector && before !== metric) selector.replaceChildren(...asked().options.map((r) => made("option", page.rankers[r], { value: r })));
  if (selector) selector.value = state.against;
  document.querySelectorAll("[data-of]").forEach((e) => { e.hidden = Number(e.dataset.of) !== metric; });
  document.querySelectorAll("#verdict [data-against]").forEach((e) => { e.hidden = Number(e.dataset.against) !== state.against; });
  document.querySelectorAll("[data-metric-text]").forEach((e) => { e.textContent = byId("by").options[metric].textContent; });
  if (!elements.first) return;
  document.querySelector("input.log[value=first]").checked = firstLog();
  const spec = `${firstKind()}${firstLog() ? "-log" : ""}`;
  if (embedded.first !== spec) {
    embedded.first = spec;
    await embed("first", spec);
  }
  drawFirst();
};
byId("by").addEventListener("change", (event) => ask(Number(event.target.value)));
byId("against")?.addEventListener("change", (event) => {
  state.wanted = Number(event.target.value);
  ask(state.metric);
});
