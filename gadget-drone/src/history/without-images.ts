import type { AiImage, AiMessage, AiText } from "@gadget/ai";

const leftOut = "(An image is left out here: this model can't see images.)";

/** The same conversation for a model that can't see: it is told where there was an image. */
export function withoutImages(messages: readonly AiMessage[]): AiMessage[] {
  return messages.map((message): AiMessage => {
    if (message.role !== "user" && message.role !== "tool") {
      return message;
    }
    if (!hasImage(message)) {
      return message;
    }
    return { ...message, content: withWords(message.content) };
  });
}

export function hasImage({ content }: AiMessage): boolean {
  return typeof content !== "string" && content.some(({ type }) => type === "image");
}

function withWords(content: string | (AiText | AiImage)[]): string | AiText[] {
  if (typeof content === "string") {
    return content;
  }
  return content.map((part) => (part.type === "text" ? part : { type: "text", text: leftOut }));
}
