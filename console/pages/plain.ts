import "./plain.css";
import "./site.js";

// The example of the start page has the URL of this service.
const base = document.querySelector(".base");
if (base) base.textContent = new URL(".", location.href).href.slice(0, -1);
