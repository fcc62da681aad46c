"use strict";
// Looks numbers up and shows them as they were printed; it computes none.
(async () => {
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

  // ---- reading what is packed
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

  // ---- charts
  const views = {};
  const elements = Object.fromEntries([...document.querySelectorAll(".plot")].map((e) => [e.dataset.chart, e]));
  const described = Object.fromEntries(Object.entries(elements).map(([name, e]) => [name, e.getAttribute("aria-label")]));
  const embed = async (name, chart) => {
    const spec = { ...page.charts[chart], description: described[name] };
    const made = await window.vegaEmbed(elements[name], spec, { mode: "vega-lite", actions: false, renderer: "svg", tooltip: false, logLevel: 1 });
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

  // ---- the first chart: who is ahead, with a band, and whom it is compared with
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

  // ---- tables of answers: text only, never markup
  const made = (tag, text, attributes = {}) => {
    const e = document.createElement(tag);
    if (text !== undefined) e.textContent = text;
    for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
    return e;
  };
  const swatchOf = (r) => document.querySelector(`button.ranker[data-ranker="${r}"] .swatch`).cloneNode(true);
  const named = (r) => {
    const th = made("th", undefined, { scope: "row", title: page.rankers[r] });
    const span = made("span", undefined, { class: "name" });
    span.append(swatchOf(r), made("bdi", page.rankers[r]));
    th.append(span);
    return th;
  };
  const fill = (id, header, cells) => {
    const table = byId(`answers-${id}`);
    const head = made("tr");
    head.append(made("th", "ranker", { scope: "col" }), ...header.map((text) => made("th", text, { scope: "col" })));
    const thead = made("thead"), tbody = made("tbody");
    thead.append(head);
    for (const r of shown()) {
      const line = made("tr", undefined, { "data-ranker": r });
      line.append(named(r), ...cells(r));
      tbody.append(line);
    }
    table.replaceChildren(thead, tbody);
  };
  const estimate = (line, at, reasons, r, why) => {
    const td = made("td");
    const value = at < 0 ? "-" : words(line.value)[at];
    td.append(made("span", value === "-" ? "none" : value, { class: "value" }));
    const low = at < 0 ? "-" : words(line.low[state.level])[at], high = at < 0 ? "-" : words(line.high[state.level])[at];
    if (low !== "-") td.append(made("span", `[${low}, ${high}]`, { class: "ends" }));
    else if (at >= 0) td.append(made("span", "no interval", { class: "ends none" }));
    const reason = at >= 0 && line.why ? reasons[Number(words(line.why)[at])] : "";
    if (reason) why.set(reason, [...(why.get(reason) ?? []), page.names[r]]);
    return td;
  };
  const explain = (id, why) => {
    const p = byId(`why-${id}`);
    p.hidden = why.size === 0;
    p.textContent = [...why].map(([reason, names]) => `${[...new Set(names)].join(", ")}: ${reason}.`).join(" ");
  };
  // numbers at a place of the grid; at the prevalence of the evaluation they are those of the results
  const chosen = (sensitivity) => {
    const own = page[sensitivity], at = state.at[sensitivity];
    return own.here && at === own.start ? { ...own.here, at: 0 } : { ...own, at };
  };
  const answer = (id, sensitivity, columns) => {
    const { lines, reasons, at } = chosen(sensitivity), why = new Map();
    fill(id, columns.map(([, title]) => title), (r) => columns.map(([metric]) => estimate(lines[metric][r], at, reasons, r, why)));
    explain(id, why);
  };
  const titles = { hits: "found", precision: "precision", recall: "recall", ef: "enrichment" };
  const tell = {
    alpha() { answer("alpha", "alpha", [["croc", "AUC[CROC]"]]); },
    precision() {
      const metrics = Object.keys(page.precision.lines);
      answer("precision", "precision", metrics.map((m) => [m, m === "ap" ? "average precision" : `precision in the first ${m.split("@")[1]}`]));
    },
    budget() { answer("budget", "budget", Object.keys(page.budget.lines).map((m) => [m, titles[m]])); },
    rate() { answer("rate", "rate", [["rauc", "rAUC"], ["expected_recall", "expected recall"], ["found", "expected found"]]); },
    cut() {
      const header = ["threshold", "screened", "found", "false positives", "precision", "recall", "FPR", "rate", "lift"];
      fill("cut", page.drawn.some((d) => d.threshold.length) ? header : header.slice(1), (r) => {
        const d = page.drawn[r], i = state.cut[r];
        return said(d, i).map(([, text]) => made("td", text));
      });
    },
  };
  const said = (d, i) => [
    ...(page.drawn.some((one) => one.threshold.length) ? [["threshold", d.threshold[i] ?? ""]] : []),
    ["screened", d.called[i]], ["found", d.hits[i]], ["false positives", d.alarms[i]], ["precision", words(d.precision)[i]],
    ["recall", words(d.recall)[i]], ["FPR", words(d.fpr)[i]], ["rate", words(d.rate)[i]], ["lift", words(d.lift)[i]],
  ];

  // ---- the cut that all curves share
  const nearestTo = (r, rate) => {
    const d = page.drawn[r], rates = numbers(d.rate);
    let best = 0, least = Infinity;
    for (const i of indices(d.vertex)) {
      const far = Math.abs(rates[i] - rate);
      if (far < least) [best, least] = [i, far];
    }
    return best;
  };
  const cutAt = (r, i) => {
    const rate = numbers(page.drawn[r].rate)[i];
    state.cut = page.rankers.map((_, other) => (other === r ? i : nearestTo(other, rate)));
    const d = page.drawn[r];
    byId("cut-says").textContent = d.called[i] === "0" ? "0 subjects screened" : `the first ${d.called[i]} ranked by ${page.names[r]}`;
    tell.cut();
    for (const name of ["hits", "roc", "croc", "pr"]) show(name, { marks: cuts(name) });
  };
  const leader = () => shown()[0] ?? 0;
  const slideCut = () => {
    const slider = byId("cut-slider"), stops = indices(page.drawn[leader()].vertex);
    slider.max = stops.length - 1;
    cutAt(leader(), stops[Number(slider.value)]);
    slider.setAttribute("aria-valuetext", byId("cut-says").textContent);
  };
  // pointing at a name shows its lines alone, pointing at a chart of many lines the nearest one
  const FEW = 6;
  let alone = -1;
  const fade = (r) => {
    if (r === alone) return;
    alone = r;
    document.querySelectorAll(".plot [stroke*='--ranker-'], .plot [fill*='--ranker-']").forEach((e) => {
      e.classList.toggle("faded", r >= 0 && ![e.getAttribute("stroke"), e.getAttribute("fill")].includes(page.colours[r]));
    });
  };
  const tip = byId("tip");
  const hover = (name, event) => {
    const view = views[name], svg = elements[name].querySelector("svg");
    if (!view || !svg) return;
    const box = svg.getBoundingClientRect(), [left, top] = view.origin(), zoom = box.width / svg.width.baseVal.value || 1;
    const x = (event.clientX - box.left) / zoom - left, y = (event.clientY - box.top) / zoom - top;
    if (x < -8 || y < -8 || x > view.width() + 8 || y > view.height() + 8) { tip.hidden = true; return; }
    const [toX, toY] = [view.scale("x"), view.scale("y")];
    let best, least = Infinity;
    for (const r of shown()) {
      const [xs, ys] = coordinates[name](r);
      for (const i of indices(page.drawn[r].vertex)) {
        const far = (toX(xs[i]) - x) ** 2 + (toY(ys[i]) - y) ** 2;
        if (far < least) [best, least] = [[r, i], far];
      }
    }
    if (!best) return;
    const [r, i] = best, d = page.drawn[r];
    if (R > FEW) fade(r);
    cutAt(r, i);
    const stops = indices(page.drawn[leader()].vertex);
    byId("cut-slider").value = Math.max(stops.indexOf(state.cut[leader()]), 0);
    const list = made("dl");
    for (const [term, text] of said(d, i)) if (text) list.append(made("dt", term), made("dd", text));
    const head = made("b");
    head.append(made("bdi", page.rankers[r]));
    tip.replaceChildren(head, list);
    tip.hidden = false;
    const size = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - size.width - 4))}px`;
    tip.style.top = `${event.clientY + 16 + size.height < innerHeight ? event.clientY + 16 : Math.max(4, event.clientY - size.height - 12)}px`;
  };
  for (const name of ["hits", "roc", "croc", "pr"].filter((one) => elements[one] && !page.sketch)) {
    const e = elements[name];
    e.dataset.hover = "";
    e.addEventListener("pointermove", (event) => hover(name, event));
    e.addEventListener("pointerdown", (event) => hover(name, event));
    e.addEventListener("pointerleave", () => { tip.hidden = true; fade(-1); });
  }

  // ---- controls
  const nearest = (grid, value) => {
    let best = 0, least = Infinity;
    grid.forEach((point, i) => {
      const far = Math.abs(Math.log(point / value));
      if (far < least) [best, least] = [i, far];
    });
    return best;
  };
  const percent = (text) => text.replace("%", "");
  const controls = {
    alpha: { grid: () => numbers(page.alpha.grid), label: (i) => words(page.alpha.grid)[i], draw: ["croc", "alpha"] },
    precision: { grid: () => page.precision.shown.map((t) => Number(percent(t))), label: (i) => percent(page.precision.shown[i]), draw: ["pr", "prevalence"] },
    budget: { grid: () => numbers(page.budget.grid), label: (i) => words(page.budget.grid)[i], draw: ["budget"] },
  };
  const there = Object.entries(controls).filter(([name]) => byId(`${name}-slider`));
  const choose = (name, at, snapped) => {
    const control = controls[name], slider = byId(`${name}-slider`);
    state.at[name] = at;
    slider.value = at;
    byId(`${name}-typed`).value = control.label(at);
    const text = page[name].says[at];
    byId(`${name}-says`).textContent = snapped ? `${control.label(at)} is the nearest value on the grid: ${text}` : text;
    slider.setAttribute("aria-valuetext", `${control.label(at)}: ${text}`);
    tell[name]();
    control.draw.forEach((chart) => draw[chart]());
  };
  for (const [name, control] of there) {
    const slider = byId(`${name}-slider`), typed = byId(`${name}-typed`);
    slider.addEventListener("input", () => {
      state.asked[name] = control.grid()[Number(slider.value)];
      choose(name, Number(slider.value), false);
    });
    typed.addEventListener("change", () => {
      const value = Number(typed.value);
      if (!(value > 0)) { choose(name, state.at[name], false); return; }
      const grid = control.grid(), at = nearest(grid, value);
      state.asked[name] = value;
      choose(name, at, grid[at] !== value);
    });
  }

  const chooseTime = () => {
    const { ends, shown: texts, pairs, n } = page.rate, grid = numbers(ends);
    const [minutes, fast, slow] = ["minutes", "fast", "slow"].map((id) => Number(byId(id).value));
    const says = byId("rate-says");
    const refuse = (text) => { state.at.rate = -1; state.rates = [NaN, NaN]; says.textContent = text; };
    if (!(minutes > 0 && fast > 0 && slow > 0)) refuse("Give minutes above 0.");
    else if (fast >= slow) refuse("Give the shorter time per subject before the longer time.");
    else if (minutes / (n * fast) >= 1) refuse("The time may suffice for the whole list. All positives are then found with any ranking.");
    else {
      let low = nearest(grid, minutes / (n * slow)), high = nearest(grid, minutes / (n * fast));
      if (low >= high) [low, high] = high + 1 < grid.length ? [high, high + 1] : [high - 1, high];
      state.at.rate = pairs[low][high];
      state.rates = [grid[low], grid[high]];
      const part = (value) => `${Number((100 * value).toPrecision(3))}%`;
      says.textContent = `With 95% probability, the time suffices for between ${part(minutes / (n * slow))} and ${part(minutes / (n * fast))} of the list. ` +
        `Results are for the nearest values on the grid, ${texts[low]} to ${texts[high]}.`;
    }
    tell.rate();
    draw.time();
  };
  const times = ["minutes", "fast", "slow"].filter(byId);
  for (const id of times) byId(id).addEventListener("input", () => { state.asked.time = true; chooseTime(); });

  const measures = byId("measures"), options = measures ? Object.keys(page.budget.lines) : [];
  state.measure = options.includes("recall") ? "recall" : options[0];
  const caption = elements.budget?.closest("figure").querySelector("figcaption");
  const headings = { hits: "Positives found", precision: "Precision", recall: "Recall", ef: "Enrichment factor" };
  const measure = (chosen) => {
    state.measure = chosen;
    caption.textContent = `${headings[chosen]} by number of subjects screened`;
    for (const button of measures.children) {
      button.setAttribute("aria-checked", button.value === chosen);
      button.tabIndex = button.value === chosen ? 0 : -1;
    }
    draw.budget();
  };
  for (const name of options) {
    const button = made("button", headings[name], { type: "button", role: "radio", value: name });
    button.addEventListener("click", () => measure(name));
    button.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const next = measures.children[(options.indexOf(name) + step + options.length) % options.length];
      next.click();
      next.focus();
    });
    measures.append(button);
  }

  // ---- what is shown of it all
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
  const PAPER = { width: 345, height: 143 }, SCREEN = Object.values(page.charts)[0].height;
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

  // ---- one evaluation, or one after the other
  const cut = byId("cut-slider");
  cut?.addEventListener("input", slideCut);
  const enter = () => {
    for (const [name, control] of there) {
      const grid = control.grid(), asked = state.asked[name], at = asked ? nearest(grid, asked) : page[name].start;
      byId(`${name}-slider`).max = grid.length - 1;
      choose(name, at, asked !== undefined && grid[at] !== asked);
    }
    if (times.length) {
      if (!state.asked.time) for (const id of times) byId(id).value = page.rate[id];
      chooseTime();
    }
    if (cut) {
      const stops = indices(page.drawn[0].vertex);
      cut.max = stops.length - 1;
      cut.value = stops.indexOf(nearestTo(0, 0.1));
      slideCut();
    }
    everything();
  };
  const select = (group) => {
    page = { ...whole, ...whole.groups[group] };
    enter();
  };
  if (whole.groups) window.hitcurveGroups(whole, { state, draw, tell, show, area, path, scaled, logged, straightOn, places, numbers, words, shown, banded, made, fill, byId, select });
  await Promise.all(Object.keys(elements).map((name) => embed(name, elements[name].dataset.spec)));
  enter();
  if (measures) measure(state.measure);
  window.hitcurveAddress();
  document.documentElement.dataset.ready = "yes";
})();
