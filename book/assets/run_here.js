/* "Run it here": the text of a transcription in an editor, and what it gives. Python runs in run_here_worker.js. */
"use strict";

(() => {
  const WORKER = new URL("run_here_worker.js", document.currentScript.src);
  const BRYTHON = new URL("brython", WORKER).href;
  const ROWS = 26; // a longer text scrolls

  function button(text, name) {
    return `<button type="button" class="btn btn-sm" aria-label="${text}: ${name}">${text}</button>`;
  }

  /** Starts a line as far in as the one before, and further after a colon. */
  function indent(event) {
    const { value, selectionStart } = event.target;
    const line = value.slice(0, selectionStart).split("\n").pop();
    event.preventDefault();
    document.execCommand("insertText", false, `\n${line.match(/^ */)[0]}${/:\s*$/.test(line) ? "    " : ""}`);
  }

  class Runner {
    constructor({ equation, name, program }) {
      this.program = program;
      this.panel = document.createElement("div");
      this.panel.className = "run-here-panel";
      this.panel.hidden = true;
      const id = `run-${equation}`;
      this.panel.innerHTML = `
        <label for="${id}">Change it as you like. Ctrl+Enter runs it; Tab leaves the text.</label>
        <div class="run-here-code">
          <div class="run-here-numbers" aria-hidden="true"><div></div></div>
          <textarea id="${id}" wrap="off" spellcheck="false" autocomplete="off" autocapitalize="off"></textarea>
        </div>
        <div class="run-here-buttons">
          ${["Run", "Stop", "Reset"].map((text) => button(text, name)).join("")}
          <span class="run-here-status" role="status"></span>
        </div>
        <pre class="run-here-output" tabindex="0" role="log" aria-label="Output: ${name}" hidden></pre>`;
      this.code = this.panel.querySelector("textarea");
      this.numbers = this.panel.querySelector(".run-here-numbers div");
      this.status = this.panel.querySelector(".run-here-status");
      this.output = this.panel.querySelector("pre");
      [this.run, this.stop, this.reset] = this.panel.querySelectorAll("button");
      this.run.classList.add("btn-primary");
      this.run.onclick = () => this.start();
      this.stop.onclick = () => this.end("Stopped.");
      this.stop.disabled = true;
      this.reset.onclick = () => this.restore();
      this.code.value = program;
      this.code.rows = Math.min(ROWS, program.split("\n").length + 1);
      this.code.addEventListener("input", () => this.count());
      this.code.addEventListener("scroll", () => this.align());
      this.code.addEventListener("keydown", (event) => this.press(event));
      this.count();
    }

    count(failed = 0) {
      const line = (_, i) => `<span class="${i + 1 === failed ? "failed" : ""}">${i + 1}</span>\n`;
      this.numbers.innerHTML = this.code.value.split("\n").map(line).join("");
    }

    align() {
      this.numbers.style.transform = `translateY(${-this.code.scrollTop}px)`;
    }

    press(event) {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        this.start();
      } else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
        indent(event);
      } else if (event.key === "Escape") {
        this.run.focus();
      }
    }

    show(open) {
      this.panel.hidden = !open;
      if (open && !this.output.textContent) {
        this.code.scrollTop = this.code.scrollHeight; // the example stands at the end
        this.start();
      }
    }

    start() {
      this.worker?.terminate();
      this.count();
      this.output.textContent = "";
      this.output.hidden = true;
      this.status.textContent = "Fetching Python …";
      this.stop.disabled = false;
      this.worker = new Worker(WORKER);
      this.worker.onmessage = ({ data }) => this.hear(data);
      this.worker.onerror = () => this.end("Python could not be started.");
      this.worker.postMessage({ program: this.code.value, brython: BRYTHON });
    }

    hear({ running, output, done, failure }) {
      if (running) this.status.textContent = "Running …";
      if (output) this.print(output);
      if (failure) this.fail(failure);
      if (done) this.end(failure ? "Ended by an error." : "Done.");
    }

    print(text) {
      this.output.hidden = false;
      this.output.append(text);
    }

    fail({ message, line }) {
      const lines = this.code.value.split("\n");
      const at = lines[line - 1];
      this.count(line);
      if (at !== undefined) {
        const { scrollHeight, clientHeight } = this.code;
        this.code.scrollTop = (scrollHeight * line) / lines.length - clientHeight / 2;
      }
      const told = document.createElement("span");
      told.className = "failed";
      told.textContent = at === undefined ? message : `Line ${line}: ${message}\n    ${at.trim()}`;
      this.print(told);
    }

    end(said) {
      this.worker.terminate();
      this.status.textContent = said;
      if (document.activeElement === this.stop) this.run.focus();
      this.stop.disabled = true;
    }

    restore() {
      if (!this.stop.disabled) this.end("");
      this.code.value = this.program;
      this.count();
      this.code.scrollTop = this.code.scrollHeight;
      this.output.hidden = true;
      this.output.textContent = "";
      this.status.textContent = "The text is as it was.";
    }
  }

  for (const place of document.querySelectorAll(".run-here")) {
    let runner = null;
    place.innerHTML = button("Run it here", place.dataset.name);
    const open = place.firstElementChild;
    open.setAttribute("aria-expanded", "false");
    open.classList.add("btn-primary");
    open.onclick = () => {
      if (!runner) {
        runner = new Runner(place.dataset);
        place.append(runner.panel);
      }
      runner.show(runner.panel.hidden);
      open.setAttribute("aria-expanded", String(!runner.panel.hidden));
    };
  }
})();
