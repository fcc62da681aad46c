"use strict";
// what small pages share: texts by id, buttons of the head, charts with axes
const $ = (id) => document.getElementById(id);
$("print").addEventListener("click", () => window.print());
$("theme").addEventListener("click", () => {
  const dark = document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "light" : "dark";
});
const BOX = { left: 58, right: 508, top: 12, bottom: 352 };
const part = (name, attributes, text = "") => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  const { style = "", ...others } = attributes; // an attribute of this name is not allowed by the policy of the page
  element.style.cssText = style;
  for (const [key, value] of Object.entries(others)) element.setAttribute(key, value);
  element.textContent = text;
  return element;
};
const ticks = (from, to) => {
  const step = 10 ** Math.floor(Math.log10((to - from) / 4));
  const wide = [1, 2, 5, 10].map((k) => k * step).find((s) => (to - from) / s <= 6);
  const out = [];
  // whole multiples: sums of steps would pass beside 0
  for (let k = Math.ceil(from / wide - 1e-9); k * wide <= to + 1e-9 * wide; k += 1) out.push(Number((k * wide).toPrecision(6)));
  return out;
};
const sheet = (svg, [x0, x1], [y0, y1], xLabel, yLabel) => {
  const x = (v) => BOX.left + ((v - x0) / (x1 - x0)) * (BOX.right - BOX.left);
  const y = (v) => BOX.bottom - ((v - y0) / (y1 - y0)) * (BOX.bottom - BOX.top);
  svg.replaceChildren(part("path", { class: "axis", d: `M${BOX.left} ${BOX.top}V${BOX.bottom}H${BOX.right}` }));
  for (const t of ticks(x0, x1)) svg.append(part("text", { x: x(t), y: BOX.bottom + 18, "text-anchor": "middle" }, String(t)));
  for (const t of ticks(y0, y1)) svg.append(part("text", { x: BOX.left - 8, y: y(t) + 4, "text-anchor": "end" }, String(t)));
  svg.append(part("text", { x: (BOX.left + BOX.right) / 2, y: BOX.bottom + 38, "text-anchor": "middle" }, xLabel));
  svg.append(part("text", { x: 14, y: (BOX.top + BOX.bottom) / 2, "text-anchor": "middle", transform: `rotate(-90 14 ${(BOX.top + BOX.bottom) / 2})` }, yLabel));
  return { x, y };
};
