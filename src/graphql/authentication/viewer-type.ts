import { ObjectType } from "type-graphql";
import type { FrontEndSession, Session } from "../shared/context.js";

@ObjectType("Viewer", { description: "Who is asking." })
export class ViewerView {
  /** Not a field: what the resolvers of all fields need. */
  readonly session: Session | FrontEndSession;

  constructor(session: Session | FrontEndSession) {
    this.session = session;
  }
}
