/* Figures with controls. Every frame was computed when the notebook was executed; a control chooses which is shown.
   The frames, and the bundle that draws them, are fetched when a figure comes near the window. */
"use strict";
{
  const NARROW = matchMedia(`(${document.querySelector(".reveal") ? "orientation: portrait" : "max-width: 767px"})`);
  const STILL = matchMedia("(prefers-reduced-motion: reduce)");
  const figures = new Map(); // element -> what drives it

  const isDark = () => document.documentElement.dataset.theme === "dark";
  const element = (tag, attributes, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  };

  /* The address: #T=2.1&network=0. */
  const asked = () => new URLSearchParams(location.hash.slice(1));
  const address = (some) => {
    const state = some.flatMap(({ controls, at }) => controls.map(({ name, texts }, i) => [name, texts[at[i]]]));
    return location.href.split("#")[0] + (state.length ? `#${new URLSearchParams(state)}` : "");
  };
  let waiting;
  const note = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      history.replaceState(history.state, "", address([...figures.values()].filter(({ moved }) => moved)));
    }, 150);
  };
  /* A number that a teacher wrote by hand means the nearest of a slider. */
  const nearest = ({ kind, texts }, text) => {
    const number = kind === "slider" && text?.trim() ? Number(text) : NaN;
    if (!Number.isFinite(number)) return texts.indexOf(text);
    const far = texts.map((one) => Math.abs(one - number));
    return far.indexOf(Math.min(...far));
  };
  const read = (controls, at) => {
    const state = asked();
    const wanted = controls.map((control) => nearest(control, state.get(control.name)));
    wanted.forEach((i, k) => { if (i >= 0) at[k] = i; });
    return wanted.some((i) => i >= 0);
  };

  let bundle;
  const load = (source) => (bundle ??= import(new URL(source, location.href.split("#")[0])));

  /* One column on a narrow page; on a dark one the same hues, lighter. */
  const dressed = (frames) => {
    let text = JSON.stringify(frames);
    if (isDark()) {
      text = text.replace(/"(#[0-9A-F]{6})"/g, (all, color) => `"${frames.usermeta.dark[color] ?? color}"`);
    }
    const spec = JSON.parse(text);
    delete spec.$schema;
    spec.background = "transparent";
    spec.config.font = getComputedStyle(document.body).fontFamily;
    spec.params = spec.params.map(({ bind, ...parameter }) => parameter);
    if (NARROW.matches) {
      spec.vconcat = spec.hconcat;
      delete spec.hconcat;
    }
    return spec;
  };

  const draw = async (figure) => {
    const driven = figures.get(figure);
    const turn = ++driven.turn;
    const made = await vegaEmbed(driven.canvas, dressed(driven.frames), {
      actions: false, renderer: "svg", mode: "vega-lite", tooltip: false,
    });
    if (turn !== driven.turn) return made.finalize();
    driven.drawn?.finalize();
    driven.drawn = made;
    figure.view = made.view;
    const svg = driven.canvas.querySelector("svg");
    svg.setAttribute("aria-label", figure.querySelector("img").alt);
    const { width, height } = svg.viewBox.baseVal; // the whole figure stands in a window beside what moves it
    const high = NARROW.matches ? "" : `(100svh - 17rem) * ${width / height},`;
    svg.style.maxWidth = `clamp(${width}px, ${high || `${2 * width}px,`} ${1.5 * width}px)`;
    await show(figure);
    figure.dataset.state = "live";
    makeRoom(driven);
  };

  /* What stands before a colon is the verdict. */
  const tell = (readout, text) => {
    const end = text.indexOf(": ") + 1;
    readout.replaceChildren(element("strong", {}, text.slice(0, end)), text.slice(end));
  };

  /* The longest read-out has its place from the start, so that nothing below moves. */
  const makeRoom = ({ readout, readouts }) => {
    const shown = readout.textContent;
    readout.style.minHeight = "";
    tell(readout, readouts.reduce((one, other) => (other.length > one.length ? other : one)));
    readout.style.minHeight = `${readout.getBoundingClientRect().height}px`;
    tell(readout, shown);
  };

  /* Marks glide from frame to frame; Vega draws them where they end. Those of a panel jump where they are others,
     or a line has other points. A control that moves fast gives them less time. */
  const look = (mark) => {
    const { e: x = 0, f: y = 0 } = mark.transform.baseVal[0]?.matrix ?? {};
    const names = Object.values(mark.__data__?.datum ?? {}).filter((value) => typeof value === "string");
    const d = mark.getAttribute("d");
    return { mark, x, y, d, kind: names.join() + d?.replace(/[-\d.e]+/g, " ") };
  };
  const panels = (canvas) =>
    [...canvas.querySelectorAll("g.role-mark")].map((group) => [...group.children].map(look));
  const glide = (before, after, duration) => {
    const easing = duration < 200 ? "linear" : "ease-out";
    const kinds = (panel) => panel.map(({ kind }) => kind).join("|");
    after.forEach((panel, i) => {
      if (!before[i] || kinds(panel) !== kinds(before[i])) return; // a window that turned has other panels
      panel.forEach(({ mark, x, y, d }, k) => {
        const old = before[i][k];
        const from = { translate: `${old.x - x}px ${old.y - y}px`, ...(d && { d: `path("${old.d}")` }) };
        if (old.x !== x || old.y !== y || old.d !== d) mark.animate(from, { duration, easing });
      });
    });
  };

  const show = async (figure) => {
    const driven = figures.get(figure);
    const { controls, at, inputs, outputs, readout, readouts, drawn, canvas } = driven;
    controls.forEach((control, i) => {
      const text = control.texts[at[i]];
      inputs[i].value = at[i];
      if (control.kind === "slider") {
        inputs[i].setAttribute("aria-valuetext", text);
        outputs[i].textContent = text;
      }
      drawn?.view.signal(control.name, control.kind === "slider" ? Number(text) : text);
    });
    const place = controls.reduce((sum, control, i) => sum * control.texts.length + at[i], 0);
    tell(readout, readouts[place]);
    const [before, since] = [panels(canvas), performance.now() - (driven.since ?? 0)];
    driven.since = performance.now();
    await drawn?.view.runAsync();
    if (!STILL.matches && before.length) glide(before, panels(canvas), Math.min(since, 200));
    figure.dataset.frame = place;
  };

  const control = (figure, { name, label, texts, kind }, i) => {
    const id = `${figure.id}-${name}`;
    const input = kind === "slider"
      ? element("input", { id, type: "range", min: 0, max: texts.length - 1, step: 1 })
      : element("select", { id }, ...texts.map((text, k) => element("option", { value: k }, text)));
    const output = element("output", { for: id });
    const set = (value, moved) => {
      const driven = figures.get(figure);
      driven.at[i] = value;
      driven.moved = moved;
      show(figure);
      note();
    };
    input.addEventListener("input", () => set(Number(input.value), true));
    /* A swipe that began on a slider and scrolls the page has not moved it. */
    let before;
    input.addEventListener("pointerdown", () => { before = [figures.get(figure).at[i], figures.get(figure).moved]; });
    input.addEventListener("pointercancel", () => set(...before));
    const row = element("div", { class: "explorer-control" }, element("label", { for: id }, label), input);
    if (kind === "slider") row.append(output);
    return { row, input, output };
  };

  const stop = (driven) => {
    if (!driven.playing) return;
    clearTimeout(driven.playing);
    driven.playing = 0;
    driven.play.textContent = "Play";
    driven.readout.ariaLive = null;
    note();
  };
  /* Play shows the first slider's values once, from the first to the last, and the read-out is not read aloud. */
  const acts = {
    Play(figure, driven, button, wasPlaying) {
      if (wasPlaying) return;
      const along = driven.controls.findIndex(({ kind }) => kind === "slider");
      const { length } = driven.controls[along].texts;
      Object.assign(driven, { moved: true, play: button }).readout.ariaLive = "off";
      button.textContent = "Stop";
      const step = (i) => {
        driven.at[along] = i;
        show(figure);
        const next = () => (i + 1 < length && !STILL.matches ? step(i + 1) : stop(driven));
        driven.playing = setTimeout(next, Math.max(4000 / length, 120));
      };
      step(0);
    },
    Reset(figure, driven) {
      Object.assign(driven, { at: driven.controls.map((one) => one.start), moved: false });
      show(figure);
      note();
    },
    async "Copy link"(figure, driven, button) {
      const copied = await navigator.clipboard?.writeText(address([driven])).then(() => true, () => false);
      if (!copied) { // some browsers let no page write there
        driven.moved = true;
        note();
      }
      button.textContent = copied ? "Copied" : "See the address";
      setTimeout(() => { button.textContent = "Copy link"; }, 2000);
    },
  };
  const buttons = (figure, texts) => element("div", { class: "explorer-buttons" }, ...texts.map((text) => {
    const button = element("button", { type: "button", "aria-live": "polite" }, text);
    button.addEventListener("click", () => {
      const driven = figures.get(figure);
      const { playing } = driven;
      stop(driven);
      acts[text](figure, driven, button, playing);
    });
    return button;
  }));

  const start = async (figure) => {
    if (figure.dataset.state) return;
    figure.dataset.state = "loading";
    try {
      const [frames] = await Promise.all([
        fetch(figure.dataset.frames).then((answer) => answer.json()),
        load(figure.dataset.bundle),
      ]);
      const { controls, readouts } = frames.usermeta;
      const parts = controls.map((one, i) => control(figure, one, i));
      const canvas = element("div", { class: "explorer-canvas" });
      const readout = element("p", { class: "explorer-readout", role: "status" });
      const at = controls.map((one) => one.start);
      const moved = read(controls, at);
      figures.set(figure, {
        frames, controls, readouts, readout, canvas, at, moved, turn: 0,
        inputs: parts.map((part) => part.input), outputs: parts.map((part) => part.output),
      });
      const slider = parts.find(({ input }) => input.type === "range");
      if (!STILL.matches) slider?.row.append(buttons(figure, ["Play"]));
      const rows = (isMoved) => parts.filter((_, i) => (controls[i].kind === "slider") === isMoved).map(({ row }) => row);
      const panels = [
        element("div", { class: "explorer-controls" }, ...rows(false)),
        element("div", { class: "explorer-controls explorer-moves" }, ...rows(true), readout),
      ];
      for (const [panel, kind] of panels.flatMap((panel) => [[panel, "pointerdown"], [panel, "input"]])) {
        panel.addEventListener(kind, ({ target }) => target.closest("button") || stop(figures.get(figure)));
      }
      const below = element("div", { class: "explorer-controls" }, buttons(figure, ["Reset", "Copy link"]));
      figure.prepend(...panels, canvas, below);
      await draw(figure);
    } catch (error) {
      delete figure.dataset.state; // the still picture stays
      throw error;
    }
  };

  /* A word of the text lights up its line in the figure that it leads to. */
  for (const word of document.querySelectorAll("a.line")) {
    const light = (isOn) => {
      for (const drawn of document.querySelectorAll(`${word.hash} svg *`)) {
        const name = drawn.__data__?.datum?.series;
        if (name) drawn.classList.toggle("dim", isOn && name !== word.title);
      }
    };
    for (const kind of ["pointerenter", "focus"]) word.addEventListener(kind, () => light(true));
    for (const kind of ["pointerleave", "blur"]) word.addEventListener(kind, () => light(false));
  }

  /* A figure that the address names: what stands above gets its true height first, so that the way is known. */
  const reach = async (figure) => {
    for (const part of figure.closest("article").querySelectorAll("section")) part.style.contentVisibility = "visible";
    figure.scrollIntoView();
    await start(figure);
    figure.scrollIntoView();
  };

  const everywhere = (act) => { for (const figure of figures.keys()) act(figure); };
  const all = [...document.querySelectorAll("figure.explorer")];
  const near = new IntersectionObserver(
    (entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => {
      near.unobserve(entry.target);
      start(entry.target);
    }),
    { rootMargin: "400px 0px" },
  );
  all.forEach((figure) => near.observe(figure));
  const follow = () => {
    const named = [...asked().keys()];
    const isNamed = (figure) => named.some((name) => figure.dataset.controls.split(" ").includes(name));
    for (const figure of all.filter(isNamed)) {
      const driven = figures.get(figure);
      if (!driven) reach(figure);
      else if (read(driven.controls, driven.at)) show(figure);
    }
  };
  follow();
  addEventListener("hashchange", follow);
  NARROW.addEventListener("change", () => everywhere(draw));
  let theme = isDark();
  new MutationObserver(() => {
    if (theme !== isDark()) { theme = isDark(); everywhere(draw); }
  }).observe(document.documentElement, { attributeFilter: ["data-theme"] });
}
