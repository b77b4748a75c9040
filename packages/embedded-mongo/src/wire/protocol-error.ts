/** A frame that cannot be understood. It costs its connection, and nothing else. */
export class ProtocolError extends Error {
  readonly code: number;
  readonly codeName: string;

  constructor(message: string, code = 17, codeName = "ProtocolError") {
    super(message);
    this.name = "ProtocolError";
    this.code = code;
    this.codeName = codeName;
  }
}
