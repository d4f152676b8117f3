// The start page's figure: its pictures fall into bins, and slide from temperature 1 to the fitted one; then the slider is the reader's.
{
  const figure = document.querySelector(".start-figure");
  const field = figure.querySelector(".start-field");
  const frames = JSON.parse(figure.dataset.frames);
  const names = JSON.parse(figure.dataset.names);
  const fitted = Number(figure.dataset.fitted);
  const slider = figure.querySelector("input");
  const [play, reset] = figure.querySelectorAll("button");
  const [shares, cases] = ["b", "i"].map((tag) => [...field.querySelectorAll(tag)]);
  const one = figure.querySelector(".start-one");
  const percent = (share) => `${share}\u202f%`;
  const place = (element, values) => {
    for (const name in values) element.style.setProperty(`--${name}`, values[name]);
  };
  if (matchMedia("(hover: none)").matches) one.lastElementChild.textContent = "Drag the temperature, or tap a picture.";
  let [at, picked, moving] = [0, -1, 0];
  const tell = () => {
    if (picked < 0) return;
    const [says, is] = names[picked];
    one.firstElementChild.style.backgroundPosition = cases[picked].style.backgroundPosition;
    const sure = frames[at].sure[picked];
    const told = `It says ${says}, ${percent(sure < 100 ? sure : "more than 99")}. It is ${says === is ? "right" : `wrong: ${is}`}.`;
    if (one.textContent.trim() !== told) one.lastElementChild.textContent = told;
    cases.forEach((element, i) => element.classList.toggle("picked", i === picked));
  };
  const show = (i) => {
    const { T, says, right, bins, shares: heights } = frames[(at = i)];
    const across = Number(getComputedStyle(field).getPropertyValue("--across"));
    const low = 10 - heights.length;
    const piles = heights.map(() => 0);
    for (const side of [true, false]) {
      cases.forEach((element, i) => {
        if (element.classList.contains("wrong") !== side) return; // the wrong ones lie on top
        const k = bins[i] - low;
        const rank = piles[k]++;
        place(element, { k, c: rank % across, r: Math.floor(rank / across), s: heights[k] });
      });
    }
    shares.forEach((element, k) => {
      element.hidden = heights[k] === null;
      place(element, { s: heights[k] ?? 0 });
    });
    figure.querySelector(".start-says").textContent = percent(says.toFixed(1));
    const gap = says - right;
    figure.querySelector(".start-key strong").textContent = `${Math.abs(gap).toFixed(1)} points too ${gap > 0 ? "sure" : "timid"}`;
    figure.querySelector("data").hidden = !i; // as trained, the number stands above
    figure.querySelector(".start-T").textContent = T.toFixed(1);
    slider.value = i;
    slider.setAttribute("aria-valuetext", T.toFixed(1));
    tell();
  };
  const stop = () => {
    cancelAnimationFrame(moving);
    moving = 0;
    play.textContent = "Play";
    field.classList.remove("held", "falls");
  };
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const slide = (begin) => (now) => {
    const share = Math.min(Math.max((now - begin) / 2000, 0), 1);
    const i = Math.round(fitted * share * share * (3 - 2 * share));
    if (share > 0) field.classList.remove("falls");
    if (i !== at) show(i);
    if (share < 1) moving = requestAnimationFrame(slide(begin));
    else stop();
  };
  const start = (falls) => {
    stop();
    show(still.matches ? fitted : 0);
    if (still.matches) return;
    play.textContent = "Stop";
    field.classList.toggle("held", falls);
    field.getBoundingClientRect(); // the pictures are above before they fall
    moving = requestAnimationFrame((now) => { // a tab in the background draws none: its time begins when it is seen
      field.classList.replace("held", "falls");
      slide(now + (falls ? 2700 : 600))(now);
    });
  };
  const choose = (i) => {
    stop();
    show(i);
    history.replaceState(null, "", i ? `#T=${frames[i].T.toFixed(1)}` : location.pathname);
  };
  slider.addEventListener("input", () => choose(Number(slider.value)));
  play.addEventListener("click", () => (moving ? stop() : start(false)));
  reset.addEventListener("click", () => choose(0));
  const pick = (i) => {
    picked = (i + cases.length) % cases.length;
    tell();
  };
  for (const move of ["pointerover", "click"]) {
    field.addEventListener(move, ({ target }) => target.matches("i") && pick(cases.indexOf(target)));
  }
  field.addEventListener("click", () => one.scrollIntoView({ block: "nearest" }));
  field.tabIndex = 0;
  field.addEventListener("keydown", ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (step) pick(picked < 0 ? 0 : picked + step);
  });
  addEventListener("resize", () => show(at));
  addEventListener("beforeprint", stop);
  const linked = () => frames.findIndex(({ T }) => `#T=${T.toFixed(1)}` === location.hash);
  addEventListener("hashchange", () => linked() >= 0 && choose(linked()));
  if (linked() >= 0) show(linked());
  else if (still.matches || location.hash) show(0);
  else start(true);
  field.dataset.ready = "";
}
// Who was here before goes on there.
try {
  const { page, title } = JSON.parse(localStorage.getItem("calibration-lessons")).last;
  const link = Object.assign(document.createElement("a"), { className: "start-continue", textContent: `Continue: ${title}` });
  link.href = document.documentElement.dataset.content_root + page;
  document.querySelector(".start-button").after("\u2003", link);
} catch {} // nothing is kept
