import { getAvailableAnchors } from "@galley/engine";

// The shell of Studio: it proves that the engine loads in a page. The pages come with their own milestone.
document.title = `Galley Studio (${getAvailableAnchors([]).join(", ")})`;
