"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const data = JSON.parse($("data").textContent);
  const { names, metrics, shares } = data;
  const low = new Set(data.low);
  const ROWS = 50, LEVEL = 0.05;
  const recalls = (() => {
    const text = atob(data.recalls), bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return new DataView(bytes.buffer);
  })();
  const recall = (marker, k) => recalls.getUint16(2 * (marker * shares.length + k), true) / 65535;
  const of = (values, marker) => (Array.isArray(values) ? values[marker] : values);
  let chosen = data.order[0], metric = 0, sorted = { key: "rank0", up: true }, words = "", first = 0;

  // ---- numbers as texts
  const number = (x, digits = 4) => (x === null ? "" : x === 0 ? "0" : x.toPrecision(digits));
  const pText = (p) => (p === null ? "" : p < 1e-4 ? p.toExponential(2) : String(Number(p.toPrecision(3))));

  // ---- the table
  const columns = [{ key: "name", label: "marker", value: (i) => names[i] }];
  if (low.size) columns.push({ key: "side", label: "direction", value: (i) => (low.has(i) ? "low" : "high") });
  if (data.missing) columns.push({ key: "missing", label: "missing", value: (i) => data.missing[i], text: String });
  metrics.forEach((m, k) => {
    columns.push({ key: `rank${k}`, label: m.name, value: (i) => m.rank[i], cell: (td, i) => {
      td.append(number(m.value[i]));
      if (m.low[i] !== null) {
        const ends = document.createElement("span");
        ends.className = "ends";
        ends.textContent = `[${number(m.low[i], 3)}, ${number(m.high[i], 3)}]`;
        td.append(ends);
      }
    } });
    columns.push({ key: `p${k}`, label: "p", value: (i) => m.p[i], text: pText });
    columns.push({ key: `adjusted${k}`, label: "adjusted p", value: (i) => m.adjusted[i], text: pText });
  });
  const lowered = names.map((name) => name.toLowerCase());
  const rank = new Uint32Array(names.length);
  data.order.forEach((marker, place) => { rank[marker] = place; });
  let shown = [];

  const choose = () => {
    const { value } = columns.find((column) => column.key === sorted.key);
    shown = data.order.filter((i) => lowered[i].includes(words));
    const sign = sorted.up ? 1 : -1;
    shown.sort((a, b) => {
      const x = value(a), y = value(b);
      if (x === y) return rank[a] - rank[b];
      if (x === null || y === null) return x === null ? 1 : -1;
      return (typeof x === "string" ? x.localeCompare(y, "en", { numeric: true }) : x - y) * sign;
    });
    first = 0;
    fill();
  };

  const fill = () => {
    const body = document.createElement("tbody");
    for (const i of shown.slice(first, first + ROWS)) {
      const row = body.insertRow();
      row.className = i === chosen ? "chosen" : "";
      for (const column of columns) {
        if (column.key === "name") {
          const th = document.createElement("th"), button = document.createElement("button"), bdi = document.createElement("bdi");
          th.scope = "row";
          button.type = "button";
          button.className = "marker";
          button.dataset.marker = i;
          button.setAttribute("aria-pressed", String(i === chosen));
          bdi.textContent = names[i];
          button.append(bdi);
          th.append(button);
          row.append(th);
        } else if (column.cell) column.cell(row.insertCell(), i);
        else row.insertCell().textContent = (column.text || String)(column.value(i));
      }
    }
    $("markers").tBodies[0].replaceWith(body);
    const last = Math.min(first + ROWS, shown.length);
    const all = shown.length === names.length ? "markers" : `of ${names.length.toLocaleString("en")} markers`;
    $("count").textContent = shown.length
      ? `${(first + 1).toLocaleString("en")} to ${last.toLocaleString("en")} of ${shown.length.toLocaleString("en")} ${all}`
      : "no marker has this in its name";
    $("before").disabled = first === 0;
    $("after").disabled = last >= shown.length;
  };

  const head = document.createElement("tr");
  for (const column of columns) {
    const th = document.createElement("th"), button = document.createElement("button");
    th.scope = "col";
    th.dataset.key = column.key;
    button.type = "button";
    button.textContent = column.label;
    button.addEventListener("click", () => {
      sorted = { key: column.key, up: sorted.key === column.key ? !sorted.up : true };
      mark();
      choose();
    });
    th.append(button);
    head.append(th);
  }
  $("markers").tHead.rows[0].replaceWith(head);
  const mark = () => {
    for (const th of head.cells) {
      th.setAttribute("aria-sort", th.dataset.key !== sorted.key ? "none" : sorted.up ? "ascending" : "descending");
    }
  };
  $("markers").addEventListener("click", (event) => {
    const button = event.target.closest("button.marker");
    if (!button) return;
    select(Number(button.dataset.marker));
    $("markers").querySelector(`[data-marker="${button.dataset.marker}"]`).focus();
  });
  $("search").addEventListener("input", () => { words = $("search").value.trim().toLowerCase(); choose(); });
  $("before").addEventListener("click", () => { first = Math.max(first - ROWS, 0); fill(); });
  $("after").addEventListener("click", () => { first += ROWS; fill(); });

  // ---- charts
  const BOX = { left: 58, right: 508, top: 12, bottom: 352 };
  const part = (name, attributes, text = "") => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.textContent = text;
    return element;
  };
  const ticks = (from, to) => {
    const step = 10 ** Math.floor(Math.log10((to - from) / 4));
    const wide = [1, 2, 5, 10].map((k) => k * step).find((s) => (to - from) / s <= 6);
    const out = [];
    for (let t = Math.ceil(from / wide - 1e-9) * wide; t <= to + 1e-9 * wide; t += wide) out.push(Number(t.toPrecision(6)));
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
  const height = (i) => (metrics[metric].p[i] === null ? null : -Math.log10(Math.max(metrics[metric].p[i], 1e-300)));
  const effect = (i) => {
    const found = metrics[metric].effect[i];
    return found === null ? null : data.sides && low.has(i) ? -found : found;
  };
  let points = [];

  const volcano = () => {
    const m = metrics[metric], known = data.order.filter((i) => height(i) !== null && effect(i) !== null);
    if (!known.length) { $("volcano").replaceChildren(); points = []; return; }
    let least = 0, most = 0, top = 1;
    for (const i of known) {
      least = Math.min(least, effect(i));
      most = Math.max(most, effect(i));
      top = Math.max(top, height(i));
    }
    const room = 0.06 * (most - least || 1);
    const side = data.sides ? " (left: low values first)" : "";
    const { x, y } = sheet($("volcano"), [least - room, most + room], [0, 1.06 * top], `${m.name} - random${side}`, "-log10 of the p value");
    points = known.map((i) => [x(effect(i)), y(height(i)), i]);
    for (const small of [false, true]) {
      const d = points.filter(([, , i]) => (m.adjusted[i] !== null && m.adjusted[i] <= LEVEL) === small)
        .map(([a, b]) => `M${a.toFixed(1)} ${b.toFixed(1)}h0`).join("");
      if (d) $("volcano").append(part("path", { class: small ? "dots small" : "dots", d }));
    }
    $("volcano").append(part("path", { class: "reference", d: `M${x(0)} ${BOX.top}V${BOX.bottom}` }));
    ring();
  };
  const ring = () => {
    $("volcano").querySelectorAll(".here, .named").forEach((old) => old.remove());
    const at = points.find(([, , i]) => i === chosen);
    if (!at) return;
    const right = at[0] < (BOX.left + BOX.right) / 2;
    const name = names[chosen].length > 28 ? `${names[chosen].slice(0, 27)}…` : names[chosen];
    $("volcano").append(part("circle", { class: "here", cx: at[0], cy: at[1], r: 7 }));
    $("volcano").append(part("text", { class: "named", x: at[0] + (right ? 11 : -11), y: at[1] + 4, "text-anchor": right ? "start" : "end" }, name));
  };
  $("volcano").addEventListener("click", (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform($("volcano").getScreenCTM().inverse());
    let best = null, least = 20 ** 2;
    for (const [x, y, i] of points) {
      const far = (x - at.x) ** 2 + (y - at.y) ** 2;
      if (far < least) [best, least] = [i, far];
    }
    if (best !== null) select(best);
  });

  const line = () => {
    const kind = $("curve").value, share = of(data.n_pos, chosen) / of(data.n, chosen), pi = data.prevalence ?? share;
    const found = shares.map((s, k) => [s, recall(chosen, k)]);
    const fpr = ([s, tpr]) => Math.max((s - share * tpr) / (1 - share), 0);
    let at = found, labels = ["fraction of the list", "fraction of the positives"], random = [[0, 0], [1, 1]];
    if (kind === "roc") {
      at = found.map((one) => [fpr(one), one[1]]);
      labels = ["false positive rate", "true positive rate"];
    } else if (kind === "precision") {
      at = found.slice(1).map((one) => [one[1], (pi * one[1]) / (pi * one[1] + (1 - pi) * fpr(one) || 1)]);
      labels = ["recall", "precision"];
      random = [[0, pi], [1, pi]];
    }
    const { x, y } = sheet($("line"), [0, 1], [0, 1], ...labels);
    const path = (pairs) => `M${pairs.map(([a, b]) => `${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join("L")}`;
    $("line").append(part("path", { class: "reference", d: path(random) }), part("path", { class: "curve", d: path(at) }));
    $("which").textContent = names[chosen];
    const said = metrics.map((m) => {
      const ends = m.low[chosen] === null ? "" : ` [${number(m.low[chosen], 3)}, ${number(m.high[chosen], 3)}]`;
      return `${m.name} ${number(m.value[chosen])}${ends}, rank ${m.rank[chosen].toLocaleString("en")}, p ${pText(m.p[chosen])}, adjusted ${pText(m.adjusted[chosen])}`;
    });
    $("about").textContent = `${names[chosen]} (${low.has(chosen) ? "low" : "high"} values first): ${said.join("; ")}`;
  };
  const select = (marker) => { chosen = marker; fill(); ring(); line(); };

  $("metric").addEventListener("change", () => {
    metric = Number($("metric").value);
    sorted = { key: `rank${metric}`, up: true };
    mark();
    choose();
    volcano();
  });
  $("curve").addEventListener("change", line);
  $("print").addEventListener("click", () => window.print());
  $("theme").addEventListener("click", () => {
    const dark = document.documentElement.dataset.theme
      ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset.theme = dark ? "light" : "dark";
  });
  mark();
  choose();
  volcano();
  line();
  document.documentElement.dataset.ready = "yes";
})();
