import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler";
import { Ingress } from "kubernetes-models/networking.k8s.io/v1/Ingress";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { Namespace } from "kubernetes-models/v1/Namespace";
import { Service } from "kubernetes-models/v1/Service";
import { isObject } from "../../../src/domain/shared/json.js";

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
export function checkManifest(manifest: unknown): void {
  if (!isObject(manifest)) throw new Error("A manifest is an object.");
  const name = `${manifest["apiVersion"]}/${manifest["kind"]}`;
  const model = Object.entries(MODELS).find(([known]) => known === name)?.[1];
  if (!model) throw new Error(`Nothing is known of ${name}.`);
  Reflect.construct(model, [manifest]).validate();
}
