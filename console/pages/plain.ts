import "./plain.css";
import "./site.js";

// The example of the start page has the URL of this service.
const base = document.querySelector(".base");
if (base) base.textContent = new URL(".", location.href).href.slice(0, -1);

const copy = document.querySelector<HTMLButtonElement>(".copy");
// The clipboard requires HTTPS or localhost.
if (copy) copy.hidden = !isSecureContext;
copy?.addEventListener("click", async () => {
  await navigator.clipboard.writeText(document.querySelector("pre code")?.textContent ?? "");
  copy.textContent = "Copied";
});
