import { call, type Script, say } from "../script.ts";
import { firstLine, looksFailed } from "../tool-result.ts";
import { options, question } from "../wishes.ts";

const replies = {
  Tea: "Tea it is: patient, and still warm when the tests have passed.",
  Coffee: "Coffee it is: the compiler waits for nobody.",
  "Just water": "Just water, then: no side effects, which every reviewer likes.",
};

export const askQuestion: Script = {
  id: "ask-question",
  words: /\bask me\b/i,
  next(conversation) {
    const asked = conversation.calls.at(-1);
    if (asked === undefined) {
      return call(conversation, "I have one question for you.", {
        ask_user: [
          question("What goes best with an evening of debugging?"),
          options(Object.keys(replies)),
        ],
      });
    }
    if (looksFailed(asked.result)) {
      return say(`No answer came, and that is fine. The tool said: ${firstLine(asked.result)}`);
    }
    const chosen = Object.entries(replies).find(([option]) =>
      asked.result.toLowerCase().includes(option.toLowerCase()),
    );
    if (chosen) {
      return say(`You chose “${chosen[0]}”. ${chosen[1]}`);
    }
    return say(
      `You answered “${firstLine(asked.result)}”. That was not on my list; I like it anyway.`,
    );
  },
};
