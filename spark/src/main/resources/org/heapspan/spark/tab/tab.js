// The tab "Heapspan" of Spark's web UI: keeps the totals and the plot up to date as long as the page can be seen.
(function () {
  "use strict";

  const POLL_MILLIS = 2000;
  const LEAST_WINDOW_MILLIS = 60000;
  const HEIGHT = 220;
  const MARGIN = { top: 26, right: 12, bottom: 26, left: 76 };
  const SERIES = [
    { name: "encoded", field: "encodedBytesPerSecond", color: "#0d6efd", dash: "" },
    { name: "decoded", field: "decodedBytesPerSecond", color: "#fd7e14", dash: "5 3" },
  ];
  const UNITS = ["B/s", "kB/s", "MB/s", "GB/s", "TB/s"];

  const place = document.getElementById("heapspan-plot");
  if (!place) {
    return;
  }
  let latest = null;

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

  // The least of 1, 2, 5, 10, ... times a power of ten of which no more than five reach the top.
  function step(top, most) {
    const power = Math.pow(10, Math.floor(Math.log10(top / most)));
    return [1, 2, 5, 10].map((factor) => factor * power).find((each) => top / each <= most);
  }

  function ago(millis) {
    const seconds = Math.round(millis / 1000);
    return seconds === 0 ? "now" : seconds < 120 ? seconds + " s ago" : Math.round(seconds / 60) + " min ago";
  }

  function draw(plot) {
    const width = Math.max(place.clientWidth, 240);
    const inner = { width: width - MARGIN.left - MARGIN.right, height: HEIGHT - MARGIN.top - MARGIN.bottom };
    const count = plot.encodedBytesPerSecond.length;
    const whole = count * plot.slotMillis;
    const window = Math.min(whole, Math.max(LEAST_WINDOW_MILLIS, plot.endMillis - plot.beginMillis));
    const first = Math.max(0, count - Math.ceil(window / plot.slotMillis));
    const shown = SERIES.map((series) => plot[series.field].slice(first));
    const highest = Math.max(1, ...shown.map((values) => Math.max(...values)));
    const tick = step(highest, 4);
    const top = Math.ceil(highest / tick) * tick;
    const unit = Math.min(UNITS.length - 1, Math.floor(Math.log10(top) / 3));
    const x = (index) => MARGIN.left + (inner.width * index) / Math.max(1, shown[0].length - 1);
    const y = (value) => MARGIN.top + inner.height * (1 - value / top);

    const image = svg("svg", {
      width: width,
      height: HEIGHT,
      viewBox: "0 0 " + width + " " + HEIGHT,
      role: "img",
      "aria-label": "bytes encoded and decoded per second in the last minutes",
      "font-size": "12",
      "font-family": "inherit",
    });
    for (let value = 0; value <= top * 1.0001; value += tick) {
      image.append(
        svg("line", {
          x1: MARGIN.left, x2: width - MARGIN.right, y1: y(value), y2: y(value),
          stroke: "currentColor", "stroke-opacity": value === 0 ? 0.6 : 0.15,
        }),
        svg(
          "text",
          { x: MARGIN.left - 6, y: y(value) + 4, "text-anchor": "end", fill: "currentColor" },
          Number((value / Math.pow(1000, unit)).toPrecision(3)) + " " + UNITS[unit]
        )
      );
    }
    const labels = width < 500 ? 2 : 4;
    for (let i = 0; i <= labels; i++) {
      const anchor = i === 0 ? "start" : i === labels ? "end" : "middle";
      image.append(
        svg(
          "text",
          { x: MARGIN.left + (inner.width * i) / labels, y: HEIGHT - 8, "text-anchor": anchor, fill: "currentColor" },
          ago(window * (1 - i / labels))
        )
      );
    }
    SERIES.forEach((series, index) => {
      const path = shown[index].map((value, i) => (i ? "L" : "M") + x(i).toFixed(1) + " " + y(value).toFixed(1)).join("");
      const left = MARGIN.left + index * 110;
      const stroke = { fill: "none", stroke: series.color, "stroke-width": 2, "stroke-dasharray": series.dash };
      image.append(
        svg("path", Object.assign({ d: path, "data-series": series.name, "stroke-linejoin": "round" }, stroke)),
        svg("path", Object.assign({ d: "M" + left + " 10h24" }, stroke)),
        svg("text", { x: left + 30, y: 14, fill: "currentColor" }, series.name)
      );
    });
    place.replaceChildren(image);
  }

  function tell(text) {
    let note = document.getElementById("heapspan-note");
    if (!note) {
      note = document.createElement("p");
      note.id = "heapspan-note";
      note.className = "text-body-secondary";
      place.after(note);
    }
    note.textContent = text;
  }

  function show(data) {
    latest = data.plot;
    for (const cell of document.querySelectorAll("[data-heapspan]")) {
      cell.textContent = data.texts[cell.dataset.heapspan];
    }
    draw(latest);
    tell("");
  }

  async function fetched() {
    try {
      const answer = await fetch(place.dataset.json, { credentials: "same-origin", cache: "no-store" });
      if (!answer.ok) {
        throw new Error("HTTP " + answer.status);
      }
      return await answer.json();
    } catch (error) {
      tell("The driver does not answer (" + error.message + "); has the application ended?");
      return null;
    }
  }

  async function poll() {
    const data = document.visibilityState === "visible" ? await fetched() : null;
    setTimeout(poll, POLL_MILLIS);
    if (data) {
      show(data);
    }
  }

  window.addEventListener("resize", () => latest && draw(latest));
  document.addEventListener("visibilitychange", () => latest && draw(latest));
  poll();
})();
