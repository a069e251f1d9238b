import { Field } from "../../../parts/fields/field.js";
import { Select } from "../../../parts/fields/select.js";
import { CATEGORIES, type Category, CHANNELS, type Channel, type Settings } from "./settings.js";

const CATEGORY_LIST = Object.keys(CATEGORIES) as Category[];
const CHANNEL_LIST = Object.keys(CHANNELS) as Channel[];

/** The notified categories, by channel. */
export function Categories({ settings: { categories } }: { settings: Settings }) {
  return (
    <fieldset class="card">
      <legend>What you are told about</legend>
      <div class="scroll ways">
        <table>
          <thead>
            <tr>
              <th scope="col">Category</th>
              {CHANNEL_LIST.map((channel) => (
                <th key={channel} scope="col">
                  {CHANNELS[channel]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {CATEGORY_LIST.map((category) => (
              <tr key={category}>
                <th scope="row" class="wraps">
                  {CATEGORIES[category]}
                </th>
                {CHANNEL_LIST.map((channel) => (
                  <td key={channel}>
                    <input
                      type="checkbox"
                      name={`categories.${category}.${channel}`}
                      aria-label={`${CATEGORIES[category]} by ${CHANNELS[channel]}`}
                      defaultChecked={categories[category][channel]}
                      disabled={category === "security"}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="quiet">What concerns security cannot be switched off.</p>
      <div class="pair">
        <Field
          label="Days before a deadline"
          name="categories.deadline.days_before"
          value={categories.deadline.days_before.join(", ")}
          hint="Up to 10 whole numbers, such as 30, 7, 1"
        />
        <Select
          label="Unusual amounts from"
          name="categories.anomaly.min_severity"
          options={{ low: "Low severity", medium: "Medium severity", high: "High severity" }}
          value={categories.anomaly.min_severity}
        />
      </div>
    </fieldset>
  );
}
