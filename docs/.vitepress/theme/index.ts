import DefaultTheme from "vitepress/theme-without-fonts";
import Layout from "./layout.vue";
import "../../../console/src/styles/tokens.css";
import { improveSearch } from "./search.js";
import "./style.css";

export default { extends: DefaultTheme, Layout, enhanceApp: improveSearch };
