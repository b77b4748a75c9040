// The one dialect of the tree, where the linter has no rule of its own.

/** @param {string} message @param {(report: (node: unknown) => void) => object} visit */
function rule(message, visit) {
  return {
    meta: { type: "suggestion", docs: { description: message } },
    /** @param {{ report(problem: { node: unknown, message: string }): void }} context */
    create: (context) => visit((node) => context.report({ node, message })),
  };
}

const privateNames = rule("Write #name: a private member is private at run time too.", (report) => {
  /** @param {{ accessibility?: string, kind?: string }} node */
  const judge = (node) => {
    // A constructor has no other word for it.
    if (node.accessibility === "private" && node.kind !== "constructor") {
      report(node);
    }
  };
  return { PropertyDefinition: judge, MethodDefinition: judge, TSParameterProperty: judge };
});

const constantNames = rule("Write the constant in camelCase.", (report) => ({
  /** @param {{ id: { type: string, name: string } }} node */
  VariableDeclarator({ id }) {
    if (id.type === "Identifier" && /^[A-Z][A-Z0-9_]+$/.test(id.name)) {
      report(id);
    }
  },
}));

/** @param {{ type: string, properties?: unknown[] }} node */
const isEmptyObject = (node) => node.type === "ObjectExpression" && node.properties?.length === 0;

const optionalSpread = rule("Write ...(value !== undefined && { value }).", (report) => ({
  /** @param {{ argument: { type: string, consequent: any, alternate: any } }} node */
  SpreadElement(node) {
    const { argument } = node;
    if (
      argument.type === "ConditionalExpression" &&
      (isEmptyObject(argument.consequent) || isEmptyObject(argument.alternate))
    ) {
      report(node);
    }
  },
}));

export default {
  meta: { name: "dialect" },
  rules: {
    "private-names": privateNames,
    "constant-names": constantNames,
    "optional-spread": optionalSpread,
  },
};
