/** A cancel is answered within a second, whatever the drone or the database do (A14): this, and a little for the way. */
export const answerMs = 900;
