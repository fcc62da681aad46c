"use strict";
// Files of what is shown: charts as SVG and PNG, tables as CSV.
(() => {
  const slug = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60);
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

  // colours of the style sheet mean nothing outside of the page
  const drawing = (plot) => {
    const from = plot.querySelector("svg"), copy = from.cloneNode(true), seen = [...from.querySelectorAll("*")];
    [...copy.querySelectorAll("*")].forEach((e, i) => {
      for (const key of ["fill", "stroke"]) if (e.hasAttribute(key)) e.setAttribute(key, getComputedStyle(seen[i])[key]);
    });
    const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const [key, value] of [["width", "100%"], ["height", "100%"], ["fill", getComputedStyle(document.body).backgroundColor]]) paper.setAttribute(key, value);
    copy.prepend(paper);
    return { text: new XMLSerializer().serializeToString(copy), width: from.width.baseVal.value, height: from.height.baseVal.value };
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

  // an interval makes columns of its own
  const parts = (cell) => {
    const text = cell.innerText.replace(/\s+/g, " ").replace(/\u2212/g, "-").trim();
    const [, value, low, high] = text.match(/^(.*?) ?\[([^\],]+), ([^\],]+)\]/) ?? [null, text, "", ""];
    return [value, low, high];
  };
  // spreadsheets run a text that begins like a formula
  const written = (text) => {
    const safe = /^\s*[=+\-@]/.test(text) && !Number.isFinite(Number(text)) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
  };
  const csv = (table) => {
    const [head, ...body] = [...table.rows].map((line) => [...line.cells].map(parts));
    const split = head.map((_, i) => body.some((line) => line[i]?.[1]));
    const lines = [head.flatMap(([name], i) => (split[i] ? [name, `${name} low`, `${name} high`] : [name]))];
    for (const line of body) lines.push(line.flatMap((cell, i) => (split[i] ? cell : [cell[0]])));
    return lines.map((line) => `${line.map(written).join(",")}\r\n`).join("");
  };
  document.querySelectorAll(".wide").forEach((box) => {
    const what = box.getAttribute("aria-label");
    box.after(row(button("CSV", what, () => save(`${slug(what)}.csv`, new Blob([csv(box.querySelector("table"))], { type: "text/csv" })))));
  });
})();
