import { type Connection, Schema } from "mongoose";

/** What the installation remembers about itself: which key it belongs to, the set-up round. */
export interface StoredSetting {
  _id: string;
  value: string | number;
}

const schema = new Schema<StoredSetting>(
  { _id: { type: String, required: true }, value: Schema.Types.Mixed },
  { versionKey: false },
);

export function settingModel(connection: Connection) {
  return connection.model<StoredSetting>("setting", schema, "settings");
}
