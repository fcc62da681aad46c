// Charts: how they are embedded and filled, and the points of their lines, bands and marks.
const views = {};
const elements = Object.fromEntries([...document.querySelectorAll(".plot")].map((e) => [e.dataset.chart, e]));
const described = Object.fromEntries(Object.entries(elements).map(([name, e]) => [name, e.getAttribute("aria-label")]));
const embed = async (name, chart) => {
  const spec = { ...page.charts[chart], description: described[name] };
  const made = await window.vegaEmbed(elements[name], spec, { mode: "vega-lite", actions: false, renderer: "svg", tooltip: false, logLevel: 1, ast: true, defaultStyle: false });
  views[name]?.finalize();
  views[name] = made.view;
};
const show = (name, sets) => {
  const view = views[name];
  if (!view) return;
  for (const [set, values] of Object.entries(sets)) view.data(set, values);
  view.runAsync();
};
// a line on a logarithmic axis begins at the end of the axis, on its way from the point before
const KINDS = { "average-hits": "hits", "average-roc": "roc", time: "hits" };
const kindOf = (name) => KINDS[name] ?? name;
const onLog = (kind, points) => {
  const [least] = page.charts[`${kind}-log`].layer[0].encoding.x.scale.domain, first = points.findIndex((p) => p.x > least);
  if (first < 1) return first < 0 ? [] : points;
  const [a, b] = [points[first - 1], points[first]], part = (least - a.x) / (b.x - a.x);
  const begin = Object.fromEntries(["y", "low", "high"].filter((key) => key in a).map((key) => [key, a[key] + part * (b[key] - a[key])]));
  return [{ ...a, ...begin, x: least }, ...points.slice(first)];
};
const logged = (name) => state.log.has(name) || name === "time";
const scaled = (name, points) => (logged(name) ? onLog(kindOf(name), points) : points);
const path = (r, x, y, chosen) => chosen.map((i) => ({ r, i, x: x[i], y: y[i] })).filter((p) => Number.isFinite(p.x) && Number.isFinite(p.y));
const area = (r, x, low, high) => x.map((value, i) => ({ r, x: value, low: low[i], high: high[i] }));
const reference = (k, x, y) => x.map((value, i) => ({ k, i, x: value, y: y[i] }));
const straight = [{ k: "random", i: 0, x: 0, y: 0 }, { k: "random", i: 1, x: 1, y: 1 }];
const mark = (r, x, y) => ({ r, x, y, low: y, high: y, aside: 0 });

const coordinates = {
  hits: (r) => [numbers(page.drawn[r].rate), drawnAs(page.drawn[r].recall)],
  time: (r) => [numbers(page.drawn[r].rate), numbers(page.drawn[r].recall)],
  roc: (r) => [numbers(page.drawn[r].fpr), drawnAs(page.drawn[r].recall)],
  croc: (r) => [places(page.alpha.x[r][state.at.alpha]), numbers(page.drawn[r].recall)],
  pr: (r) => [drawnAs(page.drawn[r].recall),
    page.sketch || state.at.precision === page.precision.start ? drawnAs(page.drawn[r].precision) : places(page.precision.y[r][state.at.precision])],
};
const curve = (name) => shown().flatMap((r) => {
  const [x, y] = coordinates[name](r);
  const chosen = page.sketch ? [...x.keys()] : indices(page.drawn[r].line);
  return scaled(name, path(r, x, y, chosen));
});
const cuts = (name) => shown().flatMap((r) => {
  const i = state.cut[r];
  if (i === undefined) return [];
  const [x, y] = coordinates[name](r);
  return logged(name) && !(x[i] > 0) ? [] : [mark(r, x[i], y[i])];
});
const bandOf = (kind, name) => (page.sketch ? [] : shown().filter(banded).flatMap((r) => {
  const own = page.bands[kind][r];
  return own.why ? [] : scaled(name, area(r, numbers(own.x), places(own.low[state.level]), places(own.high[state.level])));
}));
const perfect = () => {
  const own = new Set(page.prevalence);
  return own.size > 1 ? [] : reference("perfect", [0, Number(page.prevalence[0]), 1], [0, 1, 1]);
};
const many = (n, x) => Array.from({ length: n }, (_, i) => x(i));
