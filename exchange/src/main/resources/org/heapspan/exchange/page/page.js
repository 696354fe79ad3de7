// The status page of a server of the global heap: fetches its numbers every two seconds while the page can be seen.
(function () {
  "use strict";

  const POLL_MILLIS = 2000;
  const HEIGHT = 190;
  const LEAST_SECONDS = 60;
  const MARGIN = { top: 24, right: 8, bottom: 22, left: 64 };
  const BYTES = ["B", "kB", "MB", "GB", "TB", "PB"];
  const COUNTS = ["", "k", "M", "G"];
  const PLOTS = [
    {
      place: "plot-bytes", units: BYTES, label: "bytes per second in the last minutes",
      lines: [
        { name: "read", field: "readBytes", dash: "" },
        { name: "written", field: "writtenBytes", dash: "5 3" },
        { name: "connection", field: "connectionBytes", dash: "2 3" },
      ],
    },
    {
      place: "plot-requests", units: COUNTS, label: "requests per second in the last minutes",
      lines: [
        { name: "read", title: "requests", field: "requests", dash: "" },
        { name: "written", title: "refused", field: "refusals", dash: "5 3" },
      ],
    },
    {
      place: "plot-memory", units: BYTES, label: "memory in use in the last minutes",
      lines: [{ name: "connection", title: "in use", field: "usedBytes", dash: "" }],
    },
  ];
  let latest = null;

  const byId = (id) => document.getElementById(id);

  function number(value, units) {
    const power = value < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(value) / 3));
    return (Number((value / Math.pow(1000, power)).toPrecision(3)) + " " + units[power]).trim();
  }

  const bytes = (value) => number(value, BYTES);

  function span(millis) {
    const seconds = Math.round(millis / 1000);
    if (seconds < 120) {
      return seconds + " s";
    }
    const minutes = Math.round(seconds / 60);
    return minutes < 120 ? minutes + " min" : minutes < 2880 ? Math.round(minutes / 60) + " h" : Math.round(minutes / 1440) + " d";
  }

  function svg(name, attributes, text) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) {
      element.setAttribute(key, value);
    }
    if (text !== undefined) {
      element.textContent = text;
    }
    return element;
  }

  // The least of 1, 2, 5, 10 times a power of ten of which no more than so many reach the top.
  function step(top, most) {
    const power = Math.pow(10, Math.floor(Math.log10(top / most)));
    return [1, 2, 5, 10].map((factor) => factor * power).find((each) => top / each <= most);
  }

  function draw(plot, history) {
    const place = byId(plot.place);
    const width = Math.max(place.clientWidth, 240);
    const inner = { width: width - MARGIN.left - MARGIN.right, height: HEIGHT - MARGIN.top - MARGIN.bottom };
    const shown = plot.lines.map((line) => history[line.field]);
    const seconds = Math.max(LEAST_SECONDS, shown[0].length);
    const highest = Math.max(1, ...shown.map((values) => values.reduce((one, other) => Math.max(one, other), 0)));
    const tick = step(highest, 4);
    const top = Math.ceil(highest / tick) * tick;
    const x = (index, length) => MARGIN.left + (inner.width * (seconds - length + index)) / (seconds - 1);
    const y = (value) => MARGIN.top + inner.height * (1 - value / top);

    const image = svg("svg", {
      width: width, height: HEIGHT, viewBox: "0 0 " + width + " " + HEIGHT,
      role: "img", "aria-label": plot.label, "font-size": "12", fill: "currentColor",
    });
    for (let value = 0; value <= top * 1.0001; value += tick) {
      image.append(
        svg("line", {
          x1: MARGIN.left, x2: width - MARGIN.right, y1: y(value), y2: y(value),
          stroke: "currentColor", "stroke-opacity": value === 0 ? 0.6 : 0.15,
        }),
        svg("text", { x: MARGIN.left - 6, y: y(value) + 4, "text-anchor": "end" }, number(value, plot.units))
      );
    }
    image.append(
      svg("text", { x: MARGIN.left, y: HEIGHT - 4 }, span(seconds * 1000) + " ago"),
      svg("text", { x: width - MARGIN.right, y: HEIGHT - 4, "text-anchor": "end" }, "now")
    );
    plot.lines.forEach((line, index) => {
      const values = shown[index];
      const path = values.map((value, i) => (i ? "L" : "M") + x(i, values.length).toFixed(1) + " " + y(value).toFixed(1)).join("");
      const left = 4 + index * 92;
      const stroke = { class: line.name, fill: "none", "stroke-width": 2, "stroke-dasharray": line.dash, "stroke-linejoin": "round" };
      image.append(
        svg("path", Object.assign({ d: path, "data-line": line.field }, stroke)),
        svg("path", Object.assign({ d: "M" + left + " 8h20" }, stroke)),
        svg("text", { x: left + 26, y: 12 }, line.title || line.name)
      );
    });
    place.replaceChildren(image);
  }

  // Cells are texts: keys and names of classes are foreign.
  function fill(table, rows, cells, nothing) {
    const body = byId(table).tBodies[0];
    body.replaceChildren(
      ...(rows.length ? rows : [null]).map((row) => {
        const line = document.createElement("tr");
        const columns = row === null ? [[nothing, ""]] : cells(row);
        columns.forEach(([content, name]) => {
          const cell = document.createElement("td");
          cell.className = name;
          if (row === null) {
            cell.colSpan = 8;
          }
          cell.append(content);
          line.append(cell);
        });
        return line;
      })
    );
  }

  function share(part, whole) {
    const meter = document.createElement("meter");
    meter.max = whole;
    meter.value = part;
    meter.title = ((100 * part) / whole).toFixed(1) + " %";
    return meter;
  }

  function state(peer) {
    switch (peer.state) {
      case "self": return "this server";
      case "reachable": return "reachable";
      case "silent": return "silent for " + span(peer.silentMillis);
      default: return "not known here";
    }
  }

  function show(data) {
    latest = data;
    byId("url").textContent = data.url;
    byId("about").textContent = (data.version ? "version " + data.version + ", " : "") + "up " + span(data.upMillis);
    byId("folder").textContent = data.folder;
    for (const name of ["keys", "groups", "chunks", "clients", "connections"]) {
      byId(name).textContent = data[name].toLocaleString("en");
    }
    byId("used").textContent = bytes(data.usedBytes);
    byId("capacity").textContent = "of " + bytes(data.capacityBytes);
    byId("meter").value = data.usedBytes / data.capacityBytes;
    byId("group-note").textContent =
      data.reserved.toLocaleString("en") + " reserved, " + data.handedOver.toLocaleString("en") + " on their way in a stream" +
      (data.chunkRows.length < data.chunks ? "; the first " + data.chunkRows.length + " chunks" : "");
    byId("key-note").textContent = data.keyRows.length && data.keyRows.length < data.keys ? "the first " + data.keyRows.length : "";
    byId("joined").textContent = data.joined ? "This is a keeper, with copies of groups of " + data.joined + ". " : "";
    fill("peer-table", data.peerRows, (row) => [[row.place, ""], [row.role, ""], [state(row), ""]], "keys are not replicated");
    fill("keeper-table", data.keeperRows, (row) => [
      [row.place, ""], [String(row.connections), "number"], [String(row.copies), "number"], [bytes(row.bytes), "number"],
    ], "no keepers have joined");
    fill("client-table", data.clientRows, (row) => [
      [row.address, ""], [row.way, ""], [String(row.connections), "number"], [String(row.leases), "number"],
      [bytes(row.heldBytes), "number"], [span(row.ageMillis), "number"],
    ], "no clients");
    fill("key-table", data.keyRows, (row) => [
      [row.key, ""], [row.type, ""], [bytes(row.bytes), "number"], [String(row.version), "number"], [row.encoding, ""],
      [row.address, ""], [String(row.leases), "number"],
      [span(Math.max(0, Date.now() - row.committedMillis)) + " ago", "number"],
    ], data.keys ? "listed on the page of the " + (data.joined ? "main server" : "leader") : "no keys");
    fill("chunk-table", data.chunkRows, (row) => [
      [row.number, ""], [row.place, ""], [String(row.groups), "number"], [bytes(row.bytes), "number"],
      [share(row.bytes, row.length), ""],
    ], data.groups ? "files of copies are not listed" : "no chunks");
    PLOTS.forEach((plot) => draw(plot, data.history));
    byId("note").textContent = "";
  }

  async function poll() {
    try {
      if (document.visibilityState === "visible") {
        const answer = await fetch("status.json", { cache: "no-store" });
        if (!answer.ok) {
          throw new Error("HTTP " + answer.status);
        }
        show(await answer.json());
      }
    } catch (error) {
      byId("note").textContent = "The server does not answer (" + error.message + "). What is shown is old.";
    }
    setTimeout(poll, POLL_MILLIS);
  }

  window.addEventListener("resize", () => latest && PLOTS.forEach((plot) => draw(plot, latest.history)));
  poll();
})();
