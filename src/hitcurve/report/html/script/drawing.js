// What each chart draws.
const draw = {
  first: drawFirst,
  hits() {
    show("hits", { lines: curve("hits"), band: bandOf("accumulation", "hits"), refs: [...straightOn(logged("hits")), ...(logged("hits") ? [] : perfect())], marks: cuts("hits") });
  },
  roc() { show("roc", { lines: curve("roc"), band: bandOf("roc", "roc"), refs: straightOn(logged("roc")), marks: cuts("roc") }); },
  croc() {
    const { bands, straight: diagonal } = page.alpha, at = state.at.alpha;
    const band = shown().filter(banded).flatMap((r) => {
      const own = page.bands.roc[r];
      return own.why ? [] : area(r, places(bands.x[bands.axis[r]][at]), places(own.low[state.level]), places(own.high[state.level]));
    });
    show("croc", { lines: curve("croc"), band, refs: reference("random", places(diagonal.x[at]), places(diagonal.y)), marks: cuts("croc") });
  },
  pr() {
    if (page.sketch) {
      const rates = [...new Set(page.prevalence)];
      show("pr", { lines: curve("pr"), refs: rates.flatMap((pi, k) => reference(k, [0, 1], [Number(pi), Number(pi)])) });
      return;
    }
    const at = state.at.precision;
    const band = shown().filter(banded).flatMap((r) => {
      const own = page.precision.bands[r];
      return own.why ? [] : scaled("pr", area(r, numbers(own.x), places(own.low[state.level][at]), places(own.high[state.level][at])));
    });
    const pi = Number(page.precision.grid[at]);
    show("pr", { lines: curve("pr"), band, refs: reference("random", [0, 1], [pi, pi]), marks: cuts("pr") });
  },
  alpha() { along("alpha", "alpha", "croc", numbers(page.alpha.grid), [["random", numbers(page.alpha.random)]]); },
  prevalence() {
    const grid = page.precision.grid.map(Number);
    along("prevalence", "precision", "ap", grid, [["random", grid]]);
  },
  decision() {
    const grid = numbers(page.decision.grid);
    along("decision", "decision", "net_benefit", grid, [["all", numbers(page.decision.all)], ["none", grid.map(() => 0)]]);
  },
  budget() {
    const context = page.budget.context[state.measure];
    const refs = context ? [["random", numbers(context.random)], ["best", numbers(context.best)]] : [];
    along("budget", "budget", state.measure, numbers(page.budget.grid), refs);
  },
  time() {
    const [low, high] = state.rates;
    show("time", { lines: curve("time"), band: [], refs: straightOn(true), shade: low < high ? [{ x: low, x2: Math.min(high, 1) }] : [] });
  },
};
const along = (name, sensitivity, metric, grid, refs) => {
  const { lines } = page[sensitivity], at = state.at[sensitivity];
  const all = [...grid.keys()];
  const read = (line) => [numbers(line.value), numbers(line.low[state.level]), numbers(line.high[state.level])];
  const of = (r) => read(lines[metric][r]), here = chosen(sensitivity);
  show(name, {
    lines: shown().flatMap((r) => path(r, grid, of(r)[0], all)),
    band: shown().filter(banded).flatMap((r) => area(r, grid, of(r)[1], of(r)[2]).filter((p) => Number.isFinite(p.low))),
    refs: refs.flatMap(([k, y]) => reference(k, grid, y)),
    here: [{ x: grid[at] }],
    // side by side, in pixels, so that no interval covers another
    marks: shown().flatMap((r, place, { length }) => {
      const [y, low, high] = read(here.lines[metric][r]).map((values) => values[here.at]), aside = (place - (length - 1) / 2) * Math.min(5, 40 / length);
      return Number.isFinite(y) ? [{ r, x: grid[at], y, low: Number.isFinite(low) ? low : y, high: Number.isFinite(high) ? high : y, aside }] : [];
    }),
  });
};
