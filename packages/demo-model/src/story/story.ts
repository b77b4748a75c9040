import { crossings, gifts, islands, letters, people, sights, troubles } from "./islands.ts";
import { seededNumbers, shuffled } from "./shuffle.ts";

const seed = 1887;

const arrivals = [
  (island: string, sight: string) => `One morning they came to ${island}, ${sight}.`,
  (island: string, sight: string) =>
    `By the time the kettle had boiled they were at ${island}, ${sight}.`,
  (island: string, sight: string) =>
    `Then the wind went round, and brought them to ${island}, ${sight}.`,
  (island: string, sight: string) => `Out of the morning haze came ${island}, ${sight}.`,
  (island: string, sight: string) =>
    `A little before the tide turned they tied up at ${island}, ${sight}.`,
  (island: string, sight: string) =>
    `The chart shows nothing there but a coffee stain; in truth it is ${island}, ${sight}.`,
];

const meetings = [
  (person: string) =>
    `On the quay stood ${person}, with one hand up against the sun. There was a letter.`,
  (person: string) =>
    `The letter for that island was addressed to ${person}, and was carried up from the boat in both hands.`,
  (person: string) =>
    `Somebody had been waiting since breakfast: ${person}. Ida found the envelope near the top of the bag.`,
  (person: string) =>
    `“Anything for me?” called ${person}, in the voice of one who expects nothing. But there was.`,
];

const mendings = [
  (trouble: string, remedy: string) =>
    `There was some trouble that day, for ${trouble}; ${remedy}.`,
  (trouble: string, remedy: string) =>
    `Before they could leave they heard that ${trouble}. It did not take long: ${remedy}.`,
  (trouble: string, remedy: string) =>
    `“You could help us,” people said, “because ${trouble}.” So they stayed for an hour, and ${remedy}.`,
  (trouble: string, remedy: string) =>
    `It was not the post's business that ${trouble}, but Ida made it hers, and ${remedy}.`,
];

const farewells = [
  (gift: string) =>
    `For her pains Ida was given ${gift}, and she stowed it under the bench where it would stay dry.`,
  (gift: string) =>
    `When the boat cast off there was ${gift} on the foredeck, and nobody on the quay would admit to it.`,
  (gift: string) =>
    `She would take no money, so they gave her ${gift}, and waved until the boat was the size of a duck.`,
  (gift: string) =>
    `They left with ${gift} and with the feeling, common after visits, of having been the guests of honour.`,
  (gift: string) =>
    `“For the journey,” they said, and handed down ${gift}. The cat inspected it and had no objections.`,
];

const opening = `# The Slow Round of the Marigold

Once a year, in the last week of September, the mail boat *Marigold* made what the company called the slow round. On all other days she ran straight to the big harbours and straight back. But some letters are for small places, and for those the postwoman, Ida Merriweather, loaded the bag, the kettle and the ship's cat, whose name was Ballast, and set out to call at every island that had a name.

“It is not on the way to anything,” the harbour master said, as he said every year.

“No,” said Ida, who was coiling a rope. “That is why they write such good letters.”`;

const closing = `And then the bag was empty. Ida turned it inside out to be sure, and a single grain of barley fell on the boards, and Ballast ate it.

They came home in the dark, with the engine at its slowest. On the bench, on the deck and along the rail stood everything that they had been given, and by the light of the wheelhouse it looked like the window of a very good shop in which nothing was for sale. Ida made a list of it, because she meant to write and say thank you, to every one of them.

That, of course, would be a whole bag of letters; and somebody would have to carry them. She looked at the calendar, and then at the cat.

“Next September,” she said. The *Marigold* bumped softly against the quay, and was home.`;

/** Always the same words: about two minutes of them at 30 tokens a second. */
export const story = tell();

function tell(): string {
  const next = seededNumbers(seed);
  const places = shuffled(islands, next);
  const views = shuffled(sights, next);
  const names = shuffled(people, next);
  const mail = shuffled(letters, next);
  const mishaps = shuffled(troubles, next);
  const thanks = shuffled(gifts, next);
  const visits = places.map((place, index) => {
    const [trouble, remedy] = of(mishaps, index);
    return [
      of(crossings, index),
      of(arrivals, index)(place, of(views, index)),
      of(meetings, index)(of(names, index)),
      of(mail, index),
      of(mendings, index)(trouble, remedy),
      of(farewells, index)(of(thanks, index)),
    ].join(" ");
  });
  return [opening, ...visits, closing].join("\n\n");
}

function of<T>(items: readonly T[], index: number): T {
  const item = items[index % items.length];
  if (item === undefined) {
    throw new Error("The story has run out of words");
  }
  return item;
}
