// The cut that all curves share.
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
