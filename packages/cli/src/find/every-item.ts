interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

/** A list's items over all its pages, `most` of them at least where there are so many. */
export async function everyItem<Item>(
  getPage: (cursor: { cursor?: string }) => Promise<Page<Item>>,
  most = Number.POSITIVE_INFINITY,
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<Item> = await getPage(cursor === null ? {} : { cursor });
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null && items.length < most);
  return items;
}
