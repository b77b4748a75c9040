import { type Connection, Schema } from "mongoose";

/** What only one node does at a time, and who does it until when. */
export interface StoredLease {
  _id: "sweep";
  holder: string;
  until: Date;
}

const schema = new Schema<StoredLease>(
  {
    _id: { type: String, required: true },
    holder: { type: String, required: true },
    until: { type: Date, required: true },
  },
  { versionKey: false },
);

export function leaseModel(connection: Connection) {
  return connection.model<StoredLease>("lease", schema, "leases");
}
