/** A line icon, hidden from screen readers. */
export const Icon = ({ path }: { path: string }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={path} />
  </svg>
);

/** The product's logo and name. */
export const Mark = () => (
  <>
    <svg class="mark" viewBox="0 0 24 24" aria-hidden="true">
      <rect width="24" height="24" rx="6" />
      <path d="M6 18v-6a6 6 0 0 1 12 0v6M12 18v-4q0-3 3-3 0 3-3 3" />
    </svg>
    <span>Carbon Gateway</span>
  </>
);
