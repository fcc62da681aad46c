(() => {
  const data = JSON.parse($("data").textContent);
  const color = (place) => `var(--ranker-${place})`;
  const short = (value) => (Math.abs(value) >= 1e4 || (value && Math.abs(value) < 1e-3) ? value.toPrecision(4) : String(Number(value.toPrecision(4))));
  const cases = (count) => `${count} case${String(count) === "1" ? "" : "s"}`;
  const row = (texts, head = "td") => {
    const line = document.createElement("tr");
    texts.forEach((text, place) => {
      const cell = document.createElement(place && head === "td" ? "td" : "th");
      cell.scope = head === "td" ? "row" : "col";
      if (place && head === "td") cell.removeAttribute("scope");
      cell.textContent = text;
      line.append(cell);
    });
    return line;
  };

  // a time on all charts over time, and the values there
  const atTime = () => {
    const place = Number($("time-slider").value), time = data.times[place], last = data.times.length - 1;
    const share = (time - data.times[0]) / (data.times[last] - data.times[0]);
    for (const svg of document.querySelectorAll("#charts svg")) {
      const [left, right, top, bottom] = svg.dataset.box.split(" ").map(Number);
      const x = (left + share * (right - left)).toFixed(1);
      svg.querySelector(".at")?.remove();
      svg.append(part("path", { class: "at", d: `M${x} ${top}V${bottom}`, stroke: "var(--ink)", "stroke-width": 1.2 }));
    }
    $("time-says").textContent = `time ${short(time)}: ${cases(data.cases[place])} (event rate ${(100 * data.rate[place]).toPrecision(3)}%), ${data.atRisk[place]} at risk`;
    $("time-slider").setAttribute("aria-valuetext", $("time-says").textContent);
    $("at-time").replaceChildren(row(["metric", ...data.rankers, "random"], "th"));
    for (const one of data.metrics) {
      const cells = one.lines.map((line) => `${line.value[place].toFixed(4)} [${line.low[place].toFixed(3)}, ${line.high[place].toFixed(3)}]`);
      $("at-time").append(row([one.name, ...cells, one.random[place].toFixed(4)]));
    }
  };
  if (data.times.length > 1) {
    $("time-slider").max = String(data.times.length - 1);
    $("time-slider").value = String(Math.floor(data.times.length / 2));
    $("time-slider").addEventListener("input", atTime);
    atTime();
  }

  // curves at a horizon
  const curves = () => {
    const at = data.horizons[Number($("horizon").value)], kind = at.curves[$("curve").value], svg = $("lines");
    const every = kind.rankers.flatMap((one) => [...one.line.map((p) => p[1]), ...(one.band || []).flatMap((p) => [p[1], p[2]])]);
    const low = Math.min(0, ...every), high = Math.max(kind.top, ...every);
    const xs = kind.rankers.flatMap((one) => one.line.map((p) => p[0]));
    const { x, y } = sheet(svg, [Math.min(0, ...xs), Math.max(...xs)], [low, high], kind.x, kind.y);
    const path = (points) => points.map(([a, b]) => `${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join("L");
    kind.rankers.forEach((one, place) => {
      if (!one.band) return;
      const upper = one.band.map((p) => [p[0], p[2]]), lower = one.band.map((p) => [p[0], p[1]]).reverse();
      svg.append(part("path", { d: `M${path([...upper, ...lower])}Z`, style: `fill:${color(place)};fill-opacity:.14` }));
    });
    for (const line of kind.reference) svg.append(part("path", { class: "reference", d: `M${path(line)}` }));
    kind.rankers.forEach((one, place) => {
      const made = part("path", { d: `M${path(one.line)}`, style: `fill:none;stroke:${color(place)};stroke-width:2` });
      made.append(part("title", {}, data.rankers[place]));
      svg.append(made);
    });
    svg.setAttribute("aria-label", `${$("curve").selectedOptions[0].text} of all rankers at horizon ${at.name}`);
    $("curve-says").textContent = `${kind.title} at horizon ${at.name}: ${cases(at.cases)}, ${at.atRisk} at risk, ${at.censored} censored before. ${kind.note}`;
  };
  const kinds = () => {
    const chosen = $("curve").value, own = Object.entries(data.horizons[Number($("horizon").value)].curves);
    $("curve").replaceChildren(...own.map(([name, kind]) => new Option(kind.title, name)));
    if (own.some(([name]) => name === chosen)) $("curve").value = chosen;
    curves();
  };
  data.horizons.forEach((one, place) => $("horizon").append(new Option(one.name, place)));
  for (const key of document.querySelectorAll("#keys .key")) {
    key.querySelector(".sign").style.cssText = `display:inline-block;width:1.6em;height:.25em;vertical-align:middle;background:${color(Number(key.dataset.place))}`;
  }
  $("horizon").addEventListener("change", kinds);
  $("curve").addEventListener("change", curves);
  kinds();
  document.documentElement.dataset.ready = "yes";
})();
