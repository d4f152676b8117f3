import torch
from sklearn.datasets import make_classification

import calibration_lessons as cl

# A network that has learned its 2000 training rows by heart.
torch.manual_seed(0)
X, y = make_classification(
    12_000, n_informative=10, n_classes=4, flip_y=0, random_state=0
)
X, y = torch.tensor(X, dtype=torch.float32), torch.tensor(y)
network = torch.nn.Sequential(
    torch.nn.Linear(20, 128), torch.nn.ReLU(), torch.nn.Linear(128, 4)
)
adam = torch.optim.Adam(network.parameters(), lr=0.01)
for _ in range(200):
    adam.zero_grad()
    loss = torch.nn.functional.cross_entropy(network(X[:2000]), y[:2000])
    loss.backward()
    adam.step()

# Logits of rows that it has not seen: 2000 to calibrate, the others to judge.
network.eval()
with torch.no_grad():
    logits, labels = network(X[2000:4000]), y[2000:4000]
    new_logits, new_labels = network(X[4000:]), y[4000:]

scaling = cl.TemperatureScaling().fit(logits, labels)
probabilities = scaling.predict_proba(new_logits)  # a NumPy array

T = float(scaling.temperature_)
print(f"temperature {T:.2f}")

before = new_logits.softmax(1)
for name, p in {"before": before, "after": probabilities}.items():
    print(f"{name}: {cl.calibration_report(new_labels, p, random_state=0)}")

# In the network's own language the calibrator is one division.
same = torch.softmax(new_logits / T, dim=1).numpy()
print(f"differs in PyTorch by {abs(same - probabilities).max():.0e}")
