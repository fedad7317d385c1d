// The two dialogs: for the token, and for what cannot be taken back.

import { login } from "./api.js";

const byId = (id) => document.getElementById(id);

/** Asks for the token until the node takes it, then loads the page again. */
export function askForToken() {
  const dialog = byId("login");
  if (dialog.open) return;
  byId("login-form").onsubmit = async (event) => {
    event.preventDefault();
    try {
      await login(byId("token").value.trim());
      location.reload();
    } catch (error) {
      byId("login-fault").textContent = error.message;
    }
  };
  dialog.oncancel = (event) => event.preventDefault();
  dialog.showModal();
}

/** Whether somebody says yes. */
export function confirmed(title, text, yes) {
  const dialog = byId("confirm");
  byId("confirm-title").textContent = title;
  byId("confirm-text").textContent = text;
  byId("confirm-yes").textContent = yes;
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.onclose = () => resolve(dialog.returnValue === "yes");
  });
}
