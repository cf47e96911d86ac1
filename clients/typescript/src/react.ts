"use client";
// Browser code: no Node.js APIs. Needs React 18 or newer.
import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useSyncExternalStore,
} from "react";
import { INITIAL_STATE, type Viewer, type ViewerState } from "./browser.js";

export interface UserGroupState extends ViewerState {
  /** Asks the service now, such as after an error or a sign-in; at most every 5 seconds. */
  readonly reload: () => void;
}

const ViewerContext = createContext<Viewer | undefined>(undefined);

/** Gives a viewer to `useUserGroup` of all components in it. */
export function ViewerProvider(props: {
  readonly viewer: Viewer;
  readonly children?: ReactNode;
}): ReactElement {
  return createElement(ViewerContext.Provider, { value: props.viewer }, props.children);
}

/**
 * Returns a viewer's user group and follows its changes while the component is shown.
 * @param viewer from `createViewer`, created once and not in a component; the one of `ViewerProvider` by default
 */
export function useUserGroup(viewer?: Viewer): UserGroupState {
  const provided = useContext(ViewerContext);
  const used = viewer ?? provided;
  if (!used)
    throw new TypeError("`useUserGroup` needs a viewer, as its argument or from a `ViewerProvider`.");
  const state = useSyncExternalStore(
    used.watch,
    () => used.state,
    // A server shows what every page shows first.
    () => INITIAL_STATE,
  );
  return { ...state, reload: used.reload };
}
