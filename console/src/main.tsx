import "@fontsource-variable/inter/wght.css";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/site-header.css";
import "./styles/controls.css";
import "./styles/content.css";
import "./styles/feedback.css";
import "./styles/frame.css";
import "./styles/sites.css";
import "./styles/groups.css";
import "./styles/parts.css";
import "./styles/overview.css";
import "./styles/code-editor.css";
import "./styles/webhooks.css";
import "./styles/audit.css";
import "./styles/embed.css";
import "./styles/dashboard-tools.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { pageData } from "./api/page-data.js";
import { App } from "./app.js";
import { keepFocus } from "./parts/focus.js";

keepFocus();
const root = document.querySelector("#root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App demoKey={pageData.demo?.apiKey} />
    </StrictMode>,
  );
}
