/** Something a person has to mend: its message is the one sentence that they are shown. */
export class Problem extends Error {
  constructor(message: string) {
    super(message);
    this.name = "Problem";
  }
}
