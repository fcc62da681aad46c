// Controls: places on grids, time, measures.
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
  decision: { grid: () => numbers(page.decision.grid), label: (i) => words(page.decision.grid)[i], draw: ["decision"] },
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
