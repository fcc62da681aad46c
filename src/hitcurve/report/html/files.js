"use strict";
// Files of what is shown: charts as SVG and PNG, tables as CSV.
(() => {
  const slug = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}.]+/gu, "-").slice(0, 60).replace(/^[-.]+|[-.]+$/g, "");
  const save = (name, blob) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };
  const button = (text, what, act) => {
    const e = document.createElement("button");
    e.type = "button";
    e.textContent = text;
    e.setAttribute("aria-label", `Save as ${text}: ${what}`);
    e.addEventListener("click", act);
    return e;
  };
  const row = (...buttons) => {
    const p = document.createElement("p");
    p.className = "files";
    p.append(...buttons);
    return p;
  };

  // a chart that stands alone has its title above it and its rankers below; no style sheet is there to give it colours
  const SVG = "http://www.w3.org/2000/svg", LINE = 20;
  const drawn = (tag, attributes, text) => {
    const e = document.createElementNS(SVG, tag);
    for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
    if (text !== undefined) e.textContent = text;
    return e;
  };
  const inColour = (copy, original) => {
    const seen = [...original.querySelectorAll("*")];
    [...copy.querySelectorAll("*")].forEach((e, i) => {
      for (const key of ["fill", "stroke"]) if (e.hasAttribute(key)) e.setAttribute(key, getComputedStyle(seen[i])[key]);
    });
    return copy;
  };
  const names = (plot) => {
    const own = plot.closest("figure").querySelectorAll(".legend .name");
    return [...(own.length ? own : document.querySelectorAll("button.ranker[aria-pressed=true]"))];
  };
  const pen = document.createElement("canvas").getContext("2d");
  const drawing = (plot) => {
    const from = plot.querySelector("svg"), [width, high] = [from.width.baseVal.value, from.height.baseVal.value];
    const { color, backgroundColor } = getComputedStyle(document.body);
    const writing = { "font-family": "system-ui, sans-serif", "font-size": "12px", fill: color };
    pen.font = "12px system-ui, sans-serif";
    const chart = inColour(from.cloneNode(true), from);
    chart.setAttribute("y", LINE);
    const title = plot.closest("figure").querySelector("figcaption").firstChild.textContent.trim();
    const parts = [chart, drawn("text", { ...writing, x: 4, y: 14, "font-weight": 600 }, title)];
    let [x, y] = [4, LINE + high + 14];
    for (const e of names(plot)) {
      const swatch = e.querySelector(".swatch line"), name = [...e.childNodes].map((part) => part.textContent.trim()).filter(Boolean).join(" "), size = 34 + pen.measureText(name).width + 16;
      if (x > 4 && x + size > width) [x, y] = [4, y + LINE];
      const { stroke, strokeDasharray } = getComputedStyle(swatch);
      parts.push(drawn("line", { x1: x, x2: x + 26, y1: y - 4, y2: y - 4, stroke, "stroke-width": 2, "stroke-dasharray": strokeDasharray }));
      parts.push(drawn("text", { ...writing, x: x + 32, y }, name));
      x += size;
    }
    const height = y + 10, whole = drawn("svg", { xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}` });
    whole.append(drawn("rect", { width: "100%", height: "100%", fill: backgroundColor }), ...parts);
    return { text: new XMLSerializer().serializeToString(whole), width, height };
  };
  document.querySelectorAll(".plot").forEach((plot) => {
    const name = plot.dataset.chart, what = plot.getAttribute("aria-label").slice(0, 60);
    plot.after(row(
      button("SVG", what, () => save(`${name}.svg`, new Blob([drawing(plot).text], { type: "image/svg+xml" }))),
      button("PNG", what, async () => {
        const { text, width, height } = drawing(plot), image = new Image(), canvas = document.createElement("canvas");
        image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
        await image.decode();
        [canvas.width, canvas.height] = [3 * width, 3 * height];
        canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
        canvas.toBlob((blob) => save(`${name}.png`, blob));
      }),
    ));
  });

  // an interval makes columns of its own, and numbers are written as programs read them
  const plain = (text) => (/^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(text) ? text.replaceAll(",", "") : text);
  const parts = (cell) => {
    const named = cell.closest("thead") && cell.querySelector("button"); // beside it stands what is better
    const text = (named || cell).innerText.replace(/\s+/g, " ").replace(/\u2212/g, "-").trim();
    const [, ...found] = text.match(/^(.*?) ?\[(\S+), (\S+)\]/) ?? [null, text, "", ""];
    return found.map(plain);
  };
  // spreadsheets run a text that begins like a formula
  const written = (text) => {
    const safe = /^\s*[=+\-@]/.test(text) && !Number.isFinite(Number(text)) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
  };
  const csv = (table) => {
    const [head, ...body] = [...table.rows].map((line) => [...line.cells].map(parts));
    const split = head.map((_, i) => body.some((line) => line[i]?.[1]));
    const level = document.querySelector("input[name=level]:checked").parentElement.textContent;
    const lines = [head.flatMap(([name], i) => (split[i] ? [name, `${name} ${level} low`, `${name} ${level} high`] : [name]))];
    for (const line of body) lines.push(line.flatMap((cell, i) => (split[i] ? cell : [cell[0]])));
    return lines.map((line) => `${line.map(written).join(",")}\r\n`).join("");
  };
  // the name of a file says for which values of the controls above it the table is
  const asked = (box) => {
    const control = box.classList.contains("tall") ? null : box.closest("section")?.querySelector(".control");
    const typed = [...(control?.querySelectorAll("input[type=number]") ?? [])].map((input) => input.value);
    return typed.length ? typed.join(" to ") : control?.querySelector("output")?.textContent ?? "";
  };
  document.querySelectorAll(".wide").forEach((box) => {
    const what = box.getAttribute("aria-label");
    box.after(row(button("CSV", what, () => save(`${slug(`${what} ${asked(box)}`)}.csv`, new Blob([csv(box.querySelector("table"))], { type: "text/csv" })))));
  });
})();
