// Shows /openapi.json. Everything is put in as text, never as markup.
const list = document.querySelector("#operations");
const find = document.querySelector("#find");

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function part(title, value) {
  const box = element("div");
  box.append(element("strong", title), element("pre", JSON.stringify(value, null, 2)));
  return box;
}

function operationElement(path, method, operation) {
  const box = element("details");
  const head = element("summary");
  head.append(
    element("span", method.toUpperCase(), "method"),
    element("code", path),
    element("span", operation.summary, "says"),
  );
  box.append(head);
  // The schemas are long: they are written when somebody wants to read them.
  box.addEventListener("toggle", () => {
    if (box.childElementCount > 1) return;
    box.append(element("p", `Operation, and method of JSON-RPC: ${operation.operationId}`));
    if (operation.parameters.length > 0) box.append(part("Parameters", operation.parameters));
    if (operation.requestBody) box.append(part("Body", Object.values(operation.requestBody.content)[0].schema));
    const [[kind, reply]] = Object.entries(operation.responses["200"].content);
    box.append(part(`Reply (${kind})`, reply.schema));
  });
  return box;
}

function show(api, words) {
  const groups = new Map();
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const text = `${method} ${path} ${operation.operationId} ${operation.summary}`.toLowerCase();
      if (!words.every((word) => text.includes(word))) continue;
      const [tag] = operation.tags;
      if (!groups.has(tag)) groups.set(tag, []);
      groups.get(tag).push(operationElement(path, method, operation));
    }
  }
  list.replaceChildren();
  for (const [tag, operations] of groups) list.append(element("h2", tag), ...operations);
  if (groups.size === 0) list.append(element("p", "Nothing matches."));
}

try {
  const response = await fetch("/openapi.json");
  const api = await response.json();
  document.querySelector("#about").textContent = `Version ${api.info.version}. ${api.info.description}`;
  const update = () => show(api, find.value.toLowerCase().split(/\s+/).filter(Boolean));
  find.addEventListener("input", update);
  update();
} catch (error) {
  list.textContent = `The document cannot be loaded: ${error.message}`;
}
