/* "Run it here": the text of a transcription in an editor, and what it gives. Python runs in run_here_worker.js. */
"use strict";

(() => {
  const WORKER = new URL("run_here_worker.js", document.currentScript.src);
  const BRYTHON = new URL("brython", WORKER).href;
  const ROWS = 26; // a longer text scrolls

  function element(tag, properties, ...children) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  }

  function button(text, name, onclick) {
    const made = element("button", { type: "button", textContent: text, onclick, className: "btn btn-sm" });
    made.setAttribute("aria-label", `${text}: ${name}`);
    return made;
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
      const id = `run-${equation}`;
      this.code = element("textarea", {
        id, value: program, wrap: "off", spellcheck: false, autocomplete: "off", autocapitalize: "off",
        rows: Math.min(ROWS, program.split("\n").length + 1),
      });
      this.numbers = element("div");
      const margin = element("div", { className: "run-here-numbers" }, this.numbers);
      margin.setAttribute("aria-hidden", "true");
      this.run = button("Run", name, () => this.start());
      this.stop = button("Stop", name, () => this.end("Stopped."));
      this.reset = button("Reset", name, () => this.restore());
      this.run.classList.add("btn-primary");
      this.stop.disabled = true;
      this.status = element("span", { className: "run-here-status" });
      this.status.setAttribute("role", "status");
      this.output = element("pre", { className: "run-here-output", tabIndex: 0, hidden: true });
      this.output.setAttribute("role", "log");
      this.output.setAttribute("aria-label", `Output: ${name}`);
      this.code.addEventListener("input", () => this.count());
      this.code.addEventListener("scroll", () => this.align());
      this.code.addEventListener("keydown", (event) => this.press(event));
      this.count();
      this.panel = element(
        "div",
        { className: "run-here-panel", hidden: true },
        element("label", {
          htmlFor: id,
          textContent: "Change it as you like. Ctrl+Enter runs it; Tab leaves the text.",
        }),
        element("div", { className: "run-here-code" }, margin, this.code),
        element("div", { className: "run-here-buttons" }, this.run, this.stop, this.reset, this.status),
        this.output,
      );
    }

    count(failed = 0) {
      this.numbers.replaceChildren(
        ...this.code.value.split("\n").flatMap((_, line) => [
          element("span", { textContent: line + 1, className: line + 1 === failed ? "failed" : "" }),
          "\n",
        ]),
      );
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
      this.print(element("span", {
        className: "failed",
        textContent: at === undefined ? message : `Line ${line}: ${message}\n    ${at.trim()}`,
      }));
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
    const open = button("Run it here", place.dataset.name, () => {
      if (!runner) {
        runner = new Runner(place.dataset);
        place.append(runner.panel);
      }
      runner.show(runner.panel.hidden);
      open.setAttribute("aria-expanded", String(!runner.panel.hidden));
    });
    open.setAttribute("aria-expanded", "false");
    open.classList.add("btn-primary");
    place.append(open);
  }
})();
