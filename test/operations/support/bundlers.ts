import { join } from "node:path";
import { build as buildWithEsbuild } from "esbuild";
import { rollup } from "rollup";
import { build as buildWithVite } from "vite";
import webpack from "webpack";

/** Bundles `main.js` of a directory for Node.js. @returns the bundle's path @throws its errors and warnings */
type Bundle = (directory: string) => Promise<string>;

/** The bundlers without options that concern our package. */
export const BUNDLERS: Readonly<Record<string, Bundle>> = {
  async esbuild(directory) {
    const outfile = join(directory, "bundle.mjs");
    const { warnings } = await buildWithEsbuild({
      entryPoints: [join(directory, "main.js")],
      bundle: true,
      platform: "node",
      format: "esm",
      outfile,
      logLevel: "silent",
    });
    requireNone(warnings.map(({ text }) => text));
    return outfile;
  },

  async vite(directory) {
    await buildWithVite({
      root: directory,
      configFile: false,
      logLevel: "silent",
      ssr: { noExternal: true },
      build: { ssr: "main.js", outDir: "out", rolldownOptions: { output: { entryFileNames: "bundle.mjs" } } },
    });
    return join(directory, "out", "bundle.mjs");
  },

  async rollup(directory) {
    const file = join(directory, "bundle.mjs");
    const warnings: string[] = [];
    const bundle = await rollup({
      input: join(directory, "main.js"),
      external: /^node:/,
      onwarn: ({ message }) => warnings.push(message),
      // Rollup finds packages with a plugin only.
      plugins: [
        {
          name: "packages",
          resolveId: (id) =>
            id === "@user-groups/client" ? join(directory, "node_modules", id, "dist/index.js") : null,
        },
      ],
    });
    await bundle.write({ file, format: "es" });
    await bundle.close();
    requireNone(warnings);
    return file;
  },

  async webpack(directory) {
    const compiler = webpack({
      mode: "production",
      target: "node",
      context: directory,
      entry: "./main.js",
      output: { path: directory, filename: "bundle.cjs" },
    });
    const messages = await new Promise<string[]>((resolve, reject) => {
      compiler?.run((error, stats) => {
        const { errors = [], warnings = [] } =
          stats?.toJson({ all: false, errors: true, warnings: true }) ?? {};
        if (error) reject(error);
        else resolve([...errors, ...warnings].map(({ message }) => message));
      });
    });
    requireNone(messages);
    return join(directory, "bundle.cjs");
  },
};

function requireNone(messages: readonly string[]): void {
  if (messages.length > 0) throw new Error(messages.join("\n"));
}
