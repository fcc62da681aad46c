(() => {
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
    // the best come first: of most metrics the highest
    columns.push({ key: `rank${k}`, label: m.name, falls: !m.lower, value: (i) => m.rank[i], cell: (td, i) => {
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
    const falls = Boolean(columns.find((column) => column.key === sorted.key).falls);
    for (const th of head.cells) {
      th.setAttribute("aria-sort", th.dataset.key !== sorted.key ? "none" : sorted.up === falls ? "descending" : "ascending");
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
  mark();
  choose();
  volcano();
  line();
  document.documentElement.dataset.ready = "yes";
})();
