/** MongoDB's error codes that this server answers with, by their code names. */
const errorCodes = {
  InternalError: 1,
  BadValue: 2,
  FailedToParse: 9,
  Unauthorized: 13,
  TypeMismatch: 14,
  Overflow: 15,
  InvalidLength: 16,
  ProtocolError: 17,
  AuthenticationFailed: 18,
  IllegalOperation: 20,
  InvalidBSON: 22,
  NamespaceNotFound: 26,
  IndexNotFound: 27,
  PathNotViable: 28,
  ConflictingUpdateOperators: 40,
  CursorNotFound: 43,
  MaxTimeMSExpired: 50,
  DollarPrefixedFieldName: 52,
  InvalidIdField: 53,
  NotSingleValueField: 54,
  NotExactValueField: 111,
  EmptyFieldName: 56,
  CommandNotFound: 59,
  ImmutableField: 66,
  CannotCreateIndex: 67,
  InvalidOptions: 72,
  InvalidNamespace: 73,
  IndexOptionsConflict: 85,
  IndexKeySpecsConflict: 86,
  CommandNotSupported: 115,
  InvalidPipelineOperator: 168,
  CannotIndexParallelArrays: 171,
  InvalidIndexSpecificationOption: 197,
  AmbiguousIndexKeyPattern: 181,
  NotImplemented: 238,
  CannotBuildIndexKeys: 201,
  Interrupted: 11601,
  InterruptedAtShutdown: 11600,
  DuplicateKey: 11000,
  BSONObjectTooLarge: 10334,
} as const;

export type ErrorName = keyof typeof errorCodes;

/**
 * A failure that is answered to the client as a command error (or a write error) with MongoDB's
 * code. Codes without a code name in MongoDB ("Location31254") are given as numbers.
 */
export class CommandError extends Error {
  readonly code: number;
  readonly codeName: string;
  /** Further fields of the reply, such as keyPattern and keyValue of E11000. */
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(
    code: ErrorName | number,
    message: string,
    extra: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.name = "CommandError";
    this.code = typeof code === "number" ? code : errorCodes[code];
    this.codeName = typeof code === "number" ? `Location${code}` : code;
    this.extra = extra;
  }
}
