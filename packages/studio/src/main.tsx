import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./frame/styles.css";
import { App } from "./app.tsx";

const place = document.getElementById("studio");
if (place) {
  createRoot(place).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
