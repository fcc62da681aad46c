// Tables of answers: text only, never markup.
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
  decision() { answer("decision", "decision", [["net_benefit", "net benefit"], ["avoided", "avoided per 100"]]); },
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
