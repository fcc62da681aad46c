// One evaluation, or one after the other.
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
