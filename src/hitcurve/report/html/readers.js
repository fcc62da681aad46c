(() => {
  const data = JSON.parse($("data").textContent);
  const color = (modality) => `var(--ranker-${modality % 24})`;
  data.readers.forEach((name, place) => $("reader").append(new Option(name, place)));
  for (const key of document.querySelectorAll("#keys .key")) {
    key.querySelector(".sign").style.cssText = `display:inline-block;width:1.6em;height:.25em;vertical-align:middle;background:${color(Number(key.dataset.place))}`;
  }

  const lines = () => {
    const kind = data.curves[$("curve").value], one = $("reader").value;
    const { x, y } = sheet($("lines"), [0, 1], [0, 1], ...kind.labels);
    const path = (points) => `M${points.map(([a, b]) => `${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join("L")}`;
    if ($("curve").value !== "precision_recall") $("lines").append(part("path", { class: "reference", d: path([[0, 0], [1, 1]]) }));
    kind.lines.forEach((points, row) => {
      if (one !== "" && data.reader[row] !== Number(one)) return;
      const style = `fill:none;stroke:${color(data.modality[row])};stroke-width:${one === "" ? 1 : 1.8};stroke-opacity:${one === "" ? 0.5 : 1}`;
      const made = part("path", { class: "of-reader", d: path(points), style });
      made.append(part("title", {}, `reader ${data.readers[data.reader[row]]}, ${data.modalities[data.modality[row]]}`));
      $("lines").append(made);
    });
    kind.average.forEach((points, place) => {
      const style = `fill:none;stroke:${color(place)};stroke-width:3;stroke-opacity:${one === "" ? 1 : 0.35}`;
      $("lines").append(part("path", { class: "average", d: path(points), style }));
    });
  };

  const forest = () => {
    const found = data.forests[Number($("metric").value)], rows = found.rows, step = 26, top = 8;
    const bottom = top + step * rows.length + 6, left = 150, right = 508;
    $("forest").setAttribute("viewBox", `0 0 520 ${bottom + 48}`);
    const every = [0, ...found.margins, ...rows.flatMap((row) => [row.value, ...(row.ends || [])])];
    const least = Math.min(...every), most = Math.max(...every), room = 0.05 * (most - least || 1);
    const x = (v) => left + ((v - least + room) / (most - least + 2 * room)) * (right - left);
    $("forest").replaceChildren(part("path", { class: "axis", d: `M${left} ${bottom}H${right}` }));
    for (const t of ticks(least - room, most + room)) $("forest").append(part("text", { x: x(t), y: bottom + 17, "text-anchor": "middle" }, String(t)));
    $("forest").append(part("text", { x: (left + right) / 2, y: bottom + 38, "text-anchor": "middle" }, found.label.length > 60 ? `${found.label.slice(0, 59)}…` : found.label));
    for (const at of [0, ...found.margins]) $("forest").append(part("path", { class: "reference", d: `M${x(at)} ${top}V${bottom}` }));
    rows.forEach((row, place) => {
      const y = top + step * (place + 0.5), stroke = row.mean ? "var(--ink)" : "var(--color-0)";
      const name = row.name.length > 22 ? `${row.name.slice(0, 21)}…` : row.name;
      const label = part("text", { class: row.mean ? "named" : "", x: left - 8, y: y + 4, "text-anchor": "end" }, name);
      const group = part("g", { class: "row" });
      group.append(label);
      if (row.ends) group.append(part("path", { d: `M${x(row.ends[0]).toFixed(1)} ${y}H${x(row.ends[1]).toFixed(1)}`, style: `stroke:${stroke};stroke-width:2;fill:none` }));
      group.append(part("circle", { cx: x(row.value).toFixed(1), cy: y, r: row.mean ? 5.5 : 4.5, style: `fill:${stroke}` }));
      group.append(part("title", {}, `${row.name}: ${row.text}`));
      $("forest").append(group);
    });
  };

  $("curve").addEventListener("change", lines);
  $("reader").addEventListener("change", lines);
  lines();
  if ($("metric")) {
    $("metric").addEventListener("change", forest);
    forest();
  }
  document.documentElement.dataset.ready = "yes";
})();
