import type { Member, Person, Role, UserId } from "@gadget/api";
import { type Connection, Schema } from "mongoose";

export interface StoredUser {
  _id: UserId;
  email: string;
  name: string;
  role: Role;
  /** Came by the set-up link. */
  founder?: true;
  passwordHash: string;
  createdAt: Date;
}

const schema = new Schema<StoredUser>(
  {
    _id: { type: String, required: true },
    email: { type: String, required: true },
    name: { type: String, required: true },
    role: { type: String, required: true },
    founder: Boolean,
    passwordHash: { type: String, required: true },
    createdAt: { type: Date, required: true },
  },
  { versionKey: false },
);
// One account an address; also how a sign-in finds its user.
schema.index({ email: 1 }, { unique: true });
// One founder: two people who open the set-up link at once can't both become the owner.
schema.index({ founder: 1 }, { unique: true, partialFilterExpression: { founder: true } });
// Is there an owner? Asked by every request until there is one.
schema.index({ role: 1 });

export function userModel(connection: Connection) {
  return connection.model<StoredUser>("user", schema, "users");
}

export function userToWire({ _id, email, name, role, createdAt }: StoredUser): Member {
  return { id: _id, email, name, role, createdAt: createdAt.toISOString() };
}

/** As others may see them. */
export function personOf({ _id, name }: Pick<StoredUser, "_id" | "name">): Person {
  return { id: _id, name };
}
