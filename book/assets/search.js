// Search while typing: Pagefind's index, of which a query fetches what it needs.
{
  const SPARED = new Set("a an the to of how what when why where who can could should do does did i my me you your am have has from an use using".split(" "));
  const RANKING = { metaWeights: { title: 5, phrases: 8 } };
  const MANY = 12;

  let pagefind;
  const started = (root) => (pagefind ??= import(new URL("pagefind/pagefind.js", root)).then(async (made) => {
    await made.options({ baseUrl: root.pathname, ranking: RANKING });
    return made;
  }));
  const make = (tag, name, ...content) => {
    const made = document.createElement(tag);
    made.className = name;
    made.append(...content);
    return made;
  };
  const link = (address, text) => Object.assign(make("a", "", text), { href: address });
  const shown = ({ url, meta, excerpt, sub_results: sections }) => {
    const text = make("p", "search-text");
    text.innerHTML = excerpt; // Pagefind escapes it, but for its marks
    const below = sections.filter((section) => section.url.includes("#")).slice(0, 3);
    return make("li", "", link(url, meta.title), text, ...below.map((section) => link(section.url, section.title)));
  };
  const found = async (root, query) => {
    const words = query.toLowerCase().split(/\s+/).filter((word) => word && !SPARED.has(word));
    const answer = await (await started(root)).debouncedSearch(words.join(" ") || query, {}, 150);
    const hits = answer && (await Promise.all(answer.results.slice(0, MANY).map((result) => result.data())));
    const meant = ({ meta }) => meta.phrases.split(", ").includes(query.toLowerCase()); // the very phrase, not its words
    return hits?.sort((one, other) => meant(other) - meant(one));
  };
  let asked;
  const search = async (input) => {
    const query = (asked = input.value.trim());
    const root = new URL(".", input.form.action);
    const hits = query ? await found(root, query) : [];
    if (!hits || query !== asked) return; // the reader types on
    let list = input.form.parentElement.querySelector(".search-hits");
    if (!list) input.form.after((list = make("div", "search-hits")));
    list.setAttribute("role", "status");
    list.dataset.query = query;
    list.replaceChildren(make("ol", "", ...hits.map(shown)));
    if (query && !hits.length) list.replaceChildren("Nothing is found. Try fewer words, or the glossary.");
  };

  addEventListener("input", ({ target }) => target.matches("input[type=search][name=q]") && search(target));
  const field = document.querySelector("article input[type=search]");
  if (field) field.value ||= new URLSearchParams(location.search).get("q") ?? "";
  for (const input of document.querySelectorAll("input[type=search][name=q]")) {
    if (input.value) search(input); // a reader may type before this is here
  }
}
