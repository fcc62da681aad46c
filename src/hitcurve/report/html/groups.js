"use strict";
// The parts of the page that are about many groups: their table, the average curves, and which group is shown.
window.hitcurveGroups = (whole, { state, draw, tell, show, area, path, scaled, logged, straightOn, places, numbers, words, shown, banded, made, fill, byId, select }) => {
  // ---- average curves
  for (const [kind, lines] of Object.entries(whole.average)) {
    const name = `average-${kind}`;
    draw[name] = () => show(name, {
      lines: shown().flatMap((r) => {
        const [x, y] = [numbers(lines[r].x), places(lines[r].y)];
        return scaled(name, path(r, x, y, [...x.keys()]));
      }),
      band: shown().filter(banded).flatMap((r) => scaled(name, area(r, numbers(lines[r].x), places(lines[r].low[state.level]), places(lines[r].high[state.level])))),
      refs: straightOn(logged(name)),
    });
  }

  // ---- one metric of all groups
  const table = byId("table-groups"), metric = byId("metric");
  const fillGroups = () => {
    const { value, shade } = whole.values[Number(metric.value)];
    const lines = value.map(words);
    for (const row of table.tBodies[0].rows) {
      const g = Number(row.dataset.group);
      lines.forEach((texts, r) => {
        const cell = row.cells[row.cells.length - lines.length + r], text = texts[g];
        cell.textContent = text === "-" ? "none" : text;
        cell.dataset.sort = text === "-" ? "-Infinity" : text;
        cell.className = `s${shade[r][g]}`;
      });
    }
    table.tHead.querySelectorAll("[aria-sort]").forEach((head) => head.setAttribute("aria-sort", "none"));
  };
  metric?.addEventListener("change", fillGroups);

  // ---- which group
  const selector = byId("group");
  if (!selector) return;
  tell.numbers = () => {
    const own = whole.groups[state.group];
    fill("numbers", whole.metrics, (r) => own.numbers.map(({ cells }) => {
      const [value, ...ends] = cells[r], td = made("td");
      td.append(made("span", value, { class: "value" }));
      td.append(made("span", ends[state.level] ?? "no interval", { class: ends.length ? "ends" : "ends none" }));
      return td;
    }));
    const foot = made("tfoot");
    for (const [key, title] of [["random", "random"], ["best", "best"]]) {
      const line = made("tr");
      line.append(made("th", title, { scope: "row" }), ...own.numbers.map((one) => made("td", one[key])));
      foot.append(line);
    }
    byId("answers-numbers").append(foot);
    byId("cuts-numbers").replaceChildren(...(own.cuts ?? []).map((text) => made("p", text, { class: "hint" })));
    const why = byId("why-numbers");
    why.hidden = own.why.length === 0;
    why.textContent = own.why.join(" ");
  };
  const go = (group) => {
    state.group = group;
    selector.value = group;
    byId("previous").disabled = group === 0;
    byId("next").disabled = group === whole.groups.length - 1;
    byId("group-says").textContent = whole.groups[group].says;
    document.querySelectorAll("[data-group-name]").forEach((e) => { e.textContent = selector.options[group].textContent; });
    for (const row of table.tBodies[0].rows) row.classList.toggle("chosen", Number(row.dataset.group) === group);
  };
  const choose = (group) => { go(group); select(group); };
  selector.addEventListener("change", () => choose(Number(selector.value)));
  byId("previous").addEventListener("click", () => choose(state.group - 1));
  byId("next").addEventListener("click", () => choose(state.group + 1));
  table.addEventListener("click", (event) => {
    const button = event.target.closest("button.group");
    if (!button) return;
    choose(Number(button.closest("tr").dataset.group));
    byId("one").scrollIntoView();
    selector.focus({ preventScroll: true });
  });
  go(0);
};
