// What a page on its server does while its other modules are still on their way.

import { prepareScatter } from "./scatter.js";

try {
  prepareScatter();
} catch {
  // a browser without WebGL2: the page says so when it opens
}
