import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler";
import { Ingress } from "kubernetes-models/networking.k8s.io/v1/Ingress";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { Namespace } from "kubernetes-models/v1/Namespace";
import { Service } from "kubernetes-models/v1/Service";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { settings as knownSettings } from "../../src/config/settings.js";
import { isObject } from "../../src/domain/shared/json.js";
import type { Data } from "../support/graphql/graphql-fixture.js";

const MODELS = {
  "v1/Namespace": Namespace,
  "v1/Service": Service,
  "apps/v1/Deployment": Deployment,
  "autoscaling/v2/HorizontalPodAutoscaler": HorizontalPodAutoscaler,
  "networking.k8s.io/v1/Ingress": Ingress,
  "networking.k8s.io/v1/NetworkPolicy": NetworkPolicy,
  "policy/v1/PodDisruptionBudget": PodDisruptionBudget,
} as const;

/** Validates a manifest as the API server does. @throws Error for an invalid manifest or an unknown kind */
function checkManifest(manifest: unknown): void {
  if (!isObject(manifest)) throw new Error("A manifest is an object.");
  const name = `${manifest["apiVersion"]}/${manifest["kind"]}`;
  const model = Object.entries(MODELS).find(([known]) => known === name)?.[1];
  if (!model) throw new Error(`Nothing is known of ${name}.`);
  Reflect.construct(model, [manifest]).validate();
}

const folder = fileURLToPath(new URL("../../deploy/kubernetes/", import.meta.url));
const isKustomization = (name: string) => name.endsWith("kustomization.yaml");
const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".yaml"),
);
const manifests = new Map<string, Data>(
  names
    .filter((name) => !isKustomization(name))
    .map((name) => [name, parse(readFileSync(`${folder}${name}`, "utf8"))]),
);
const pod = manifests.get("base/deployment.yaml")?.spec.template.spec;

test.each([...manifests.keys()])("%s is valid for the API", (name) => {
  expect(() => checkManifest(manifests.get(name))).not.toThrow();
});

test("every manifest is part of the kustomization", () => {
  const parts = (of: string) => parse(readFileSync(`${folder}${of}/kustomization.yaml`, "utf8")).resources;
  const listed = [
    ...parts("base").map((name: string) => `base/${name}`),
    ...parts("with-ingress")
      .filter((name: string) => name !== "../base")
      .map((name: string) => `with-ingress/${name}`),
  ];
  expect(listed.toSorted()).toEqual([...manifests.keys()].toSorted());
});

const hasKubectl = spawnSync("kubectl", ["kustomize", "--help"]).status === 0;

test.skipIf(!hasKubectl)("Kustomize's output is valid for the API", () => {
  const { stdout, stderr } = spawnSync("kubectl", ["kustomize", `${folder}with-ingress`], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  const built: Data[] = parseAllDocuments(stdout).map((document) => document.toJS());
  expect(built.map(({ kind }) => kind)).toContain("Ingress");
  for (const manifest of built) {
    if (manifest.kind !== "ConfigMap") checkManifest(manifest);
    if (manifest.kind !== "Namespace") expect(manifest.metadata.namespace).toBe("user-groups");
  }
});

describe("a pod", () => {
  test("has existing settings", () => {
    const settings = readFileSync(`${folder}base/settings.env`, "utf8").matchAll(/^([A-Z_]+)=/gm);
    const named = [...settings].map(([, name]) => name);
    expect(named.filter((name) => !(String(name) in knownSettings.shape))).toEqual([]);
    expect(named.length).toBeGreaterThan(2);
  });

  test("has the most restrictive security context", () => {
    for (const { securityContext } of [...pod.containers, ...pod.initContainers]) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
    }
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    });
  });

  test("keeps the options of the image, which its own NODE_OPTIONS replace, as does the systemd unit", () => {
    const [, options = ""] = /^ENV NODE_OPTIONS=(.*)$/m.exec(readFileSync("Dockerfile", "utf8")) ?? [];
    expect(options).toMatch(/^--/);
    const [{ env }] = pod.containers;
    const { value } = env.find(({ name }: { name: string }) => name === "NODE_OPTIONS");
    const unit = readFileSync("deploy/systemd/user-groups@.service", "utf8");
    for (const option of options.split(" ")) {
      expect(value.split(" ")).toContain(option);
      expect(unit).toMatch(new RegExp(`^Environment=NODE_OPTIONS=(.* )?${option}( |$)`, "m"));
    }
  });

  test("has a grace period longer than the service's shutdown", () => {
    const delay = /^SHUTDOWN_DELAY_MS=(\d+)$/m.exec(readFileSync(`${folder}base/settings.env`, "utf8"))?.[1];
    // Decision 38: at worst 30 seconds more.
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(Number(delay) / 1000 + 30);
  });

  test("and the maximum number of replicas fit into PostgreSQL's default connections, plus one during an upgrade", () => {
    const poolSize = /^DATABASE_POOL_SIZE=(\d+)$/m.exec(
      readFileSync(`${folder}base/settings.env`, "utf8"),
    )?.[1];
    const { maxReplicas } = manifests.get("base/horizontal-pod-autoscaler.yaml")?.spec ?? {};
    const { maxSurge } = manifests.get("base/deployment.yaml")?.spec.strategy.rollingUpdate ?? {};
    // One connection that listens, and one for read replicas; of 100, 3 are reserved for superusers.
    expect((maxReplicas + maxSurge) * (Number(poolSize) + 2)).toBeLessThanOrEqual(97);
  });

  test("gets no request that another pod has received, and no external scrape", () => {
    const annotation = (name: string, key: string) =>
      manifests.get(`with-ingress/${name}.yaml`)?.metadata.annotations[`nginx.ingress.kubernetes.io/${key}`];
    expect(annotation("ingress", "proxy-next-upstream")).toBe("off");
    expect(annotation("metrics-refused", "whitelist-source-range")).toBe("127.0.0.1/32");
  });

  test("never has the owner's password where requests are served", () => {
    expect(JSON.stringify(pod.containers)).not.toContain("user-groups-migration");
    expect(JSON.stringify(pod.initContainers)).toContain("user-groups-migration");
  });
});
