/** While nothing is known yet: what index.html shows before there is any script. */
export function FirstLook() {
  return (
    <div className="first-look">
      <p>
        <img src="/favicon.svg" alt="" width="20" height="20" />
        Gadget Code
      </p>
      <p>Loading…</p>
    </div>
  );
}
